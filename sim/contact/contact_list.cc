// SPDX-License-Identifier: MIT
#include "sim/contact/contact_list.h"

namespace rigor::sim {

void ContactList::saveModes() {
  decided_.clear();
  for (const Contact& c : contacts_) decided_.push_back({c.mode, c.direction, c.slides});
}

void ContactList::restoreModes() {
  for (size_t i = 0; i < contacts_.size(); ++i) {
    contacts_[i].mode = decided_[i].mode, contacts_[i].direction = decided_[i].direction;
    contacts_[i].slides = decided_[i].slides, contacts_[i].loaded = false;
  }
}

}  // namespace rigor::sim
