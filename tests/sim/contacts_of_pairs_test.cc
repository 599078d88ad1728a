// SPDX-License-Identifier: MIT
// Contacts by pair, against a search through all of them.
#include "sim/contact/contacts_of_pairs.h"

#include <gtest/gtest.h>

#include <random>

namespace rigor::sim {
namespace {

TEST(ContactsOfPairs, AreThoseOfASearchInTheirOrder) {
  std::mt19937 random(1);
  ContactsOfPairs sorted;  // One for all: nothing may be left of the list before.
  for (const int length : {40, 0, 7, 1, 200}) {
    std::vector<int> pairs(length);
    for (int& p : pairs) p = static_cast<int>(random() % 30) - 1;  // -1: of none.
    sorted.sort(pairs);
    for (int p = -1; p < 40; ++p) {
      std::vector<int> expected;
      for (int c = 0; c < length; ++c)
        if (p >= 0 && pairs[c] == p) expected.push_back(c);
      const auto found = sorted.of(p);
      EXPECT_EQ(std::vector<int>(found.begin(), found.end()), expected) << length << " contacts, pair " << p;
    }
  }
}

}  // namespace
}  // namespace rigor::sim
