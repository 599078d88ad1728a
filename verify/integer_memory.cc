// SPDX-License-Identifier: MIT
#include "verify/integer_memory.h"

#include <gmp.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

namespace rigor::verify {
namespace {

constexpr std::size_t kLimb = sizeof(mp_limb_t);
constexpr std::size_t kSizes = 64;  // Integers of up to so many limbs are kept.
constexpr int kKept = 1000;  // Blocks of a size.

struct FreeBlock {
  FreeBlock* next;
};

class FreeLists {
 public:
  ~FreeLists() {
    closed_ = true;  // Static integers may live longer.
    for (List& list : lists_)
      while (void* block = list.take()) std::free(block);
  }
  void* take(std::size_t size) { return size < kSizes ? lists_[size].take() : nullptr; }
  bool keep(void* block, std::size_t size) { return size < kSizes && !closed_ && lists_[size].keep(block); }

 private:
  struct List {
    FreeBlock* first = nullptr;
    int count = 0;
    void* take() {
      FreeBlock* const block = first;
      if (block) first = block->next, --count;
      return block;
    }
    bool keep(void* block) {
      if (count == kKept) return false;
      first = new (block) FreeBlock{first};
      ++count;
      return true;
    }
  };
  List lists_[kSizes];
  bool closed_ = false;
};

thread_local FreeLists free_lists;

std::size_t limbsOf(std::size_t bytes) { return (bytes + kLimb - 1) / kLimb; }

void* allocate(std::size_t bytes) {
  if (void* block = free_lists.take(limbsOf(bytes))) return block;
  void* const block = std::malloc(std::max(limbsOf(bytes), std::size_t{1}) * kLimb);
  if (!block) std::abort();  // As GMP does.
  return block;
}

void release(void* block, std::size_t bytes) {
  // GMP's own blocks are whole limbs; a shorter one (of a text) is not kept, as it may be too short for its list.
  if (bytes % kLimb != 0 || bytes == 0 || !free_lists.keep(block, limbsOf(bytes))) std::free(block);
}

void* reallocate(void* block, std::size_t old_bytes, std::size_t bytes) {
  if (limbsOf(bytes) >= kSizes && limbsOf(old_bytes) >= kSizes) {
    void* const moved = std::realloc(block, limbsOf(bytes) * kLimb);
    if (!moved) std::abort();
    return moved;
  }
  void* const moved = allocate(bytes);
  std::memcpy(moved, block, std::min(old_bytes, bytes));
  release(block, old_bytes);
  return moved;
}

}  // namespace

void keepIntegerMemory() { mp_set_memory_functions(allocate, reallocate, release); }

}  // namespace rigor::verify
