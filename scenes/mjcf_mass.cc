// SPDX-License-Identifier: MIT
#include "scenes/mjcf_mass.h"

#include <Eigen/Eigenvalues>

namespace rigor::scenes {

MjcfMassRules::MjcfMassRules(MjcfDocument& document) {
  const auto text = [&](const char* name) { return document.option("compiler", name).value_or(""); };
  const auto number = [&](const char* name) {
    const auto element = document.optionElement("compiler", name);
    return element ? element->numberOr(name, 0) : 0;
  };
  const std::string from = text("inertiafromgeom");
  over_inertial_ = from == "true", without_inertial_ = from != "false";
  balances_ = text("balanceinertia") == "true";
  least_mass_ = number("boundmass"), least_moment_ = number("boundinertia"), total_ = number("settotalmass");
  if (const auto element = document.optionElement("compiler", "inertiagrouprange")) {
    const auto range = element->numbers("inertiagrouprange");
    if (!range || range->size() != 2) element->refuse("inertiagrouprange", "two numbers");
    first_group_ = (*range)[0], last_group_ = (*range)[1];
  }
}

geom::MassProperties MjcfMassRules::bounded(geom::MassProperties body) const {
  body.mass = std::max(body.mass, least_mass_);
  if (!(least_moment_ > 0) && !balances_) return body;
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> principal(body.inertia);
  Eigen::Vector3d moments = principal.eigenvalues().cwiseMax(least_moment_);
  const bool impossible = moments[0] + moments[1] < moments[2];  // Ascending.
  if (balances_ && impossible) moments.setConstant(moments.mean());
  const Eigen::Matrix3d& axes = principal.eigenvectors();
  if (moments != principal.eigenvalues()) body.inertia = axes * moments.asDiagonal() * axes.transpose();
  return body;
}

void MjcfMassRules::scaleToTotal(FileModel& file) const {
  double sum = 0;
  for (const FileLink& link : file.links) sum += link.mass;
  if (!(total_ > 0) || !(sum > 0)) return;
  for (FileLink& link : file.links) link.mass *= total_ / sum, link.inertia *= total_ / sum;
}

}  // namespace rigor::scenes
