// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <tuple>
#include <vector>

#include "published_problems.h"

/// Problems whose sets of outcomes were computed by another program with another library of polyhedra (PPL).
namespace rigor::impact::test {

struct KnownSet {
  std::string name;
  ImpactProblem problem;
  int dimension = 0;
  std::vector<std::tuple<std::string, double, double>> bounds;  ///< Of contact velocities [m/s], to 9 digits.
};

inline ImpactProblem threeBalls() {
  return {Eigen::Matrix3d::Identity(), (Eigen::MatrixXd(2, 3) << -1, 1, 0, 0, -1, 1).finished(),
          {Eigen::MatrixXd(0, 3), Eigen::MatrixXd(0, 3)}, {0, 0}, {0, 0}, Eigen::Vector3d(1, 0, 0)};
}

/// Drawn at random: three contacts.
inline ImpactProblem randomPlanar0() {
  const Eigen::MatrixXd M = (Eigen::MatrixXd(3, 3) << 1.7064594832893654, 0.24417250585466954, -0.11485649281339946,
      0.24417250585466954, 1.4499809328465214, 0.03207984122672004, -0.11485649281339946, 0.03207984122672004,
      0.31673275810863405).finished();
  const Eigen::MatrixXd normal = (Eigen::MatrixXd(3, 3) << -0.34605083535172887, -2.0296506034256803,
      -0.9655266566975516, 0.381987786434502, 0.45776713720734846, -0.5222411081709725, 0.3759420964043955,
      0.26070511919350586, 0.8197299036599044).finished();
  const Eigen::MatrixXd tangent = (Eigen::MatrixXd(3, 3) << 0.24791876525031833, -1.2685048902749623,
      -0.605009658781788, 1.0628107269508151, 1.340826686950378, -1.405197638820877, -0.054860169742252655,
      0.4423209196527316, 0.2055249504878496).finished();
  const Eigen::VectorXd v = (Eigen::VectorXd(3) << 0.7791893259444502, -0.8841840020992774,
      -0.6490564348975076).finished();
  ImpactProblem problem = planarProblem(M, normal, tangent, 1, v);
  problem.friction = {1.0, 0.0, 0.7};
  return problem;
}

/// Drawn at random: three contacts.
inline ImpactProblem randomPlanar78() {
  const Eigen::MatrixXd M = (Eigen::MatrixXd(4, 4) << 5.862559044779365, 1.5013641779936524, 0.31594947393431855,
      0.7417121067907466, 1.5013641779936524, 3.1074588389415467, 0.47423217682151964, 1.476349362238883,
      0.31594947393431855, 0.47423217682151964, 6.732627833878612, 2.1309614213243946, 0.7417121067907466,
      1.476349362238883, 2.1309614213243946, 2.0409740341778813).finished();
  const Eigen::MatrixXd normal = (Eigen::MatrixXd(3, 4) << 0.34596429443443866, -0.9901833660460669,
      -0.39803845185535863, -0.6609550640085797, -1.4446639321882064, -2.766972876472458, 1.334550948028127,
      -0.8322895242529222, -0.48704989506034063, 0.1010525891201513, 0.326291458495102,
      0.04865253972038494).finished();
  const Eigen::MatrixXd tangent = (Eigen::MatrixXd(3, 4) << 1.0730348595157568, 0.6796436282053899,
      0.06664354955469451, -0.5150341940639646, 0.6436331711614743, 0.44984587708195584, -2.0395878469595408,
      -0.8212570074523663, -1.2787104107817406, -0.5332540940464121, 0.865200812021727,
      -0.2695138552879796).finished();
  const Eigen::VectorXd v = (Eigen::VectorXd(4) << 0.29528194683364345, 0.6390273244498376, -0.989581620343943,
      -0.28874413396187903).finished();
  ImpactProblem problem = planarProblem(M, normal, tangent, 1, v);
  problem.friction = {0.7, 0.1, 1.0};
  return problem;
}

/// Drawn at random: three contacts.
inline ImpactProblem randomPlanar108() {
  const Eigen::MatrixXd M = (Eigen::MatrixXd(3, 3) << 3.4137685422363093, 0.9599099901537033, -1.1313594570804104,
      0.9599099901537033, 1.201367932832417, 0.34793413937872886, -1.1313594570804104, 0.34793413937872886,
      1.5146786440022153).finished();
  const Eigen::MatrixXd normal = (Eigen::MatrixXd(3, 3) << 0.22990571455761796, -0.9195395858965614,
      0.05035827852348464, -0.2297317623623346, 0.34679284412714945, 1.6152003855549266, -1.791620055157315,
      -0.5263870980516584, 0.9383291781554978).finished();
  const Eigen::MatrixXd tangent = (Eigen::MatrixXd(3, 3) << 0.09663793236397092, -1.5307336894773693,
      -0.0017221531325289122, -0.08696818656562745, -0.10227256411617465, -1.0865231344665018, 1.8225836583593715,
      1.3414939799900905, -0.057449543774071805).finished();
  const Eigen::VectorXd v = (Eigen::VectorXd(3) << -0.14400573945129783, -0.5634604670221566,
      -0.6110923400635601).finished();
  ImpactProblem problem = planarProblem(M, normal, tangent, 1, v);
  problem.friction = {0.7, 2.0, 0.1};
  return problem;
}

inline std::vector<KnownSet> knownSets() {
  return {
      {"rocking-block",
       rockingBlock(),
       1,
       {{"vn0", 0, 0.0930183853}, {"vn1", 0, 0.0930183853}, {"vt0_0", 0, 0}, {"vt1_0", 0, 0}}},
      {"box-and-wall",
       boxAndWall(),
       2,
       {{"vn0", 0, 0}, {"vn1", 0, 0.105642287}, {"vt0_0", 0, 0.372097827}, {"vt1_0", -0.0725421704, 0}}},
      {"compass-gait",
       compassGait(),
       2,
       {{"vn0", 0, 0.0374504486}, {"vn1", 0, 0.0995551756}, {"vt0_0", -0.0744905823, 0}, {"vt1_0", 0, 0.198019604}}},
      {"ramone",
       ramOne(),
       2,
       {{"vn0", 0, 0}, {"vn1", 0, 0.000330823045}, {"vt0_0", 0, 0}, {"vt1_0", -0.0273500896, 0}}},
      {"newtons-cradle-3", threeBalls(), 0, {{"vn0", 0, 0}, {"vn1", 0, 0}}},
      {"planar-0",
       randomPlanar0(),
       0,
       {{"vn0", 1.52712993, 1.52712993},
        {"vn1", 0, 0},
        {"vn2", 0, 0},
        {"vt0_0", 1.34566737, 1.34566737},
        {"vt2_0", -0.441967555, -0.441967555}}},
      {"planar-78",
       randomPlanar78(),
       3,
       {{"vn0", 0.0339064451, 0.417346038},
        {"vn1", 0, 0},
        {"vn2", 0, 0.0108554482},
        {"vt0_0", -0.664439729, 0.485719948},
        {"vt1_0", 0.448434111, 1.38160264},
        {"vt2_0", 0, 0.192429481}}},
      {"planar-108",
       randomPlanar108(),
       1,
       {{"vn0", 0.258762987, 0.264813308},
        {"vn1", 0, 0},
        {"vn2", 0.525227179, 0.537507889},
        {"vt0_0", 0.477045569, 0.48819971},
        {"vt1_0", 0, 0},
        {"vt2_0", -0.772261325, -0.754617087}}}};
}

}  // namespace rigor::impact::test
