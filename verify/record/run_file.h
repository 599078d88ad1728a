// SPDX-License-Identifier: MIT
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "verify/record/carriage.h"
#include "verify/record/model.h"
#include "verify/record/query.h"
#include "verify/record/rows.h"

namespace rigor::verify::recorded {

/// Table `meta`.
struct Meta {
  std::string build, scene_name, options, model, bounds, status, message, summary, seal;
  std::uint64_t seed = 0;
  double gap_nominal = 0, gap_floor = 0, until = 0;
};

/// A record, read strictly: what docs/record-format.md does not allow throws InputError, one sentence that names the
/// file.
///
/// What stands at the head (meta, model, branches) is read at once, rows of the other tables when they are asked for.
/// Ids ascend, and the rows of a branch follow each other in a table, so that those of one are found without a scan.
/// One thread per object.
class RunFile {
 public:
  explicit RunFile(const std::string& path, Connection::View view = Connection::View::kSnapshot);

  const std::string& path() const { return connection_.path(); }
  const Meta& meta() const { return meta_; }
  const ModelText& text() const { return text_; }
  const kernel::Model& model() const { return text_.model; }
  const std::vector<std::vector<std::string>>& coordinates() const { return text_.coordinates; }
  /// In the order of their numbers: parents before their children.
  const std::vector<BranchRow>& branches() const { return branches_; }
  /// Place in branches() of the branch with this number; InputError if there is none.
  int branchOf(std::int64_t number) const;
  Connection& connection() { return connection_; }

  /// kLive: takes what was committed since. @returns whether something was.
  bool refresh();

  /// Contents hold their SHA-256. The one of role 'scene' is the scene's text.
  std::vector<FileRow> files();
  /// What the kernel is to prove, but for the rows of the branches.
  kernel::Run run();
  /// The rows of branches()[branch]: those that follow the rows of the branches before it, all of which say that they
  /// are its own. Memory: all of them.
  kernel::BranchRows branchRows(int branch);
  /// What the tables for readers say of branches()[branch].
  TableRows tableRows(int branch);
  /// Every row of the tables that branchRows() reads is one of a branch, and in order. Follows, too, from having read
  /// all branches. O(file)
  void checkOrder();
  /// The same of the other tables, and that their rows can be read. O(file)
  void checkRest();
  /// Nothing was altered since the writer was done (Sealer). A record that is still written has no seal. O(file)
  bool sealHolds();

  /// First and last id of the rows of a branch in a table with ids and branches; nothing if it has none. O(log rows)
  std::optional<std::pair<std::int64_t, std::int64_t>> rowsOf(std::string_view table, int branch);
  /// A row of `pieces`.
  struct PieceRow {
    std::int64_t id, branch, step;
    double t0, t1;
    std::vector<struct PackedMotion>& motions;
  };
  /// Rows of `pieces` with ids in [first, last], those that are there.
  void forEachPieceRow(std::int64_t first, std::int64_t last, const std::function<void(const PieceRow&)>& use);
  /// How many pieces of each body they hold.
  std::vector<std::size_t> countPieces(std::int64_t first, std::int64_t last);
  /// Claims of the rows of `witnesses` with ids in [first, last].
  std::vector<kernel::Claim> claims(std::int64_t first, std::int64_t last) { return claims({first, last}, -1); }
  /// What branches()[branch] says that acted; without what joints held, where that follows from its pieces.
  std::vector<ActionRow> actions(int branch);
  const Dictionary& dictionary();

  ~RunFile();

 private:
  void readMeta();
  void readBranches();
  using Ids = std::pair<std::int64_t, std::int64_t>;
  Query rowsWith(std::string_view table, Ids ids);
  std::optional<Ids> allRowsOf(std::string_view table, int branch);
  void requireBranch(std::int64_t number, int branch, std::string_view table, std::int64_t id) const;
  std::vector<kernel::Claim> claims(Ids ids, int branch);
  std::vector<ImpactRow> impactRows(int branch);
  template <typename Row, typename Read>
  std::vector<Row> rowsOf(std::string_view table, int branch, const Read& read);
  void checkTable(std::string_view table, Query row, const std::function<void(Query&)>& read);
  void checkEvents();
  void checkSummary(const std::map<std::string, double>& sums);
  void checkTree();
  Connection connection_;
  Meta meta_;
  ModelText text_;
  std::vector<Carriage> carriages_;
  std::vector<BranchRow> branches_;
  Dictionary dictionary_;
  bool dictionary_read_ = false;                                   // All that there will be.
  std::optional<std::pair<int, std::vector<ImpactRow>>> impacts_;  // Of the branch whose rows were read last.
  std::int64_t seen_version_ = -1;
  std::unique_ptr<std::vector<struct PackedMotion>> motions_;
};

}  // namespace rigor::verify::recorded
