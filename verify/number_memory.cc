// SPDX-License-Identifier: MIT
#include "verify/number_memory.h"

#include <gmp.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <new>

namespace rigor::verify {
namespace {

constexpr std::size_t kLimb = 8, kMostLimbs = 64;  // Bytes; larger blocks are malloc's own affair.
constexpr int kMostKept = 2000;                    // Blocks of a size.

/// Free blocks of each size, linked through their first bytes.
class BlockLists {
 public:
  ~BlockLists() {
    open = false;
    for (List& list : lists_)
      while (void* block = list.take()) std::free(block);
  }
  void* take(std::size_t size) { return isKept(size) ? lists_[size / kLimb].take() : nullptr; }
  bool put(void* block, std::size_t size) { return isKept(size) && lists_[size / kLimb].put(block); }
  /// False once a thread's lists are gone: its last numbers may go after them.
  static thread_local bool open;

 private:
  struct List {
    void* first = nullptr;
    int count = 0;
    void* take() {
      void* block = first;
      if (block) std::memcpy(&first, block, sizeof first), --count;
      return block;
    }
    bool put(void* block) {
      if (count >= kMostKept) return false;
      std::memcpy(block, &first, sizeof first);
      first = block;
      return ++count;
    }
  };
  static bool isKept(std::size_t size) { return size % kLimb == 0 && size > 0 && size < kLimb * kMostLimbs; }
  std::array<List, kMostLimbs> lists_{};
};

thread_local bool BlockLists::open = true;
thread_local BlockLists block_lists;

void* allocate(std::size_t size) {
  if (BlockLists::open)
    if (void* block = block_lists.take(size)) return block;
  if (void* block = std::malloc(size)) return block;
  throw std::bad_alloc();
}

void release(void* block, std::size_t size) {
  if (!BlockLists::open || !block_lists.put(block, size)) std::free(block);
}

void* resize(void* block, std::size_t from, std::size_t to) {
  void* moved = allocate(to);
  std::memcpy(moved, block, from < to ? from : to);
  release(block, from);
  return moved;
}

}  // namespace

void keepNumberMemory() {
  // Libraries that come with others (GnuTLS) make GMP wipe all memory that it gives back, which costs more than the proofs.
  mp_set_memory_functions(allocate, resize, release);
}

}  // namespace rigor::verify
