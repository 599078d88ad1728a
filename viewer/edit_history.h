// SPDX-License-Identifier: MIT
#pragma once
#include <cstddef>
#include <functional>
#include <vector>

namespace rigor::viewer {

/// What the user did and may take back. What throws is not done, and the history is as it was.
class EditHistory {
 public:
  struct Edit {
    std::function<void()> apply, revert;
  };
  void edit(Edit edit) {
    edits_.resize(done_);
    edit.apply();
    edits_.push_back(std::move(edit));
    ++done_;
  }
  void undo() {
    if (canUndo()) edits_[done_ - 1].revert(), --done_;
  }
  void redo() {
    if (done_ < edits_.size()) edits_[done_].apply(), ++done_;
  }
  bool canUndo() const { return done_ > 0; }
  void clear() { edits_.clear(), done_ = 0; }

 private:
  std::vector<Edit> edits_;
  std::size_t done_ = 0;  ///< Those before it are done, the others were undone.
};

}  // namespace rigor::viewer
