// SPDX-License-Identifier: MIT
// Proved: every model describes its options such that what they say of themselves is so (the default is allowed, the
// limits hold, a value that is set is read again); a registered model is one like the others, also where it draws the
// set or takes an order, and what cannot be registered says why; the tables of docs/impact-problems.md are those of the
// registry.
#include "impact/model_registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "impact/models/anitescu_potra.h"
#include "impact/models/routh.h"
#include "impact/models/sequential.h"
#include "impact/samples/sampler.h"
#include "impact/sets/corner_outcomes.h"
#include "published_problems.h"

namespace rigor::impact {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using Kind = ModelOption::Kind;
using Place = ModelOption::Place;

TEST(ModelRegistry, DefaultsAreAllowedAndLimitsHold) {
  for (const Model* model : models()) {
    EXPECT_FALSE(model->gives.empty()) << model->name;
    EXPECT_FALSE(model->make()->assumption().empty()) << model->name;
    for (const ModelOption& option : model->options) {
      EXPECT_FALSE(option.meaning.empty()) << option.name;
      if (option.kind == Kind::kNumberOfEach || option.kind == Kind::kOrder) continue;
      EXPECT_TRUE(option.allows(optionValue(option, {}), 2)) << option.name;
      if (option.kind == Kind::kNumber) {
        EXPECT_FALSE(option.allows(std::nan(""), 2)) << option.name;
        EXPECT_EQ(option.allows(option.least, 2), !option.above_least && std::isfinite(option.least)) << option.name;
        EXPECT_FALSE(option.allows(std::nextafter(option.least, -HUGE_VAL), 2)) << option.name;
        EXPECT_FALSE(option.allows(std::nextafter(option.most, HUGE_VAL), 2)) << option.name;
      }
    }
  }
}

TEST(ModelRegistry, WhatIsSetIsReadAgain) {
  for (const Place place : {Place::kProblem, Place::kScene}) {
    for (const ModelOption* option : modelOptions(place)) {
      ImpactOptions options;
      OptionValue value;
      switch (option->kind) {
        case Kind::kTruth: value = !std::get<bool>(optionValue(*option, {})); break;
        case Kind::kWhole: value = std::get<long>(optionValue(*option, {})) + option->multiple; break;
        case Kind::kNumber: value = 0.125; break;
        case Kind::kWord: value = option->words.back(); break;
        case Kind::kNumberOfEach: value = std::vector<double>{1, 0.5}; break;
        case Kind::kOrder: value = std::vector<double>{1, 0}; break;
      }
      setOption(*option, value, 2, options);
      EXPECT_EQ(optionValue(*option, options), value) << option->name;
      EXPECT_EQ(parseOption(*option, optionText(value), 2), value) << option->name;
    }
  }
}

TEST(ModelRegistry, RefusalsNameTheOptionItsValueAndWhatIsAllowed) {
  const auto message = [](const char* name, const char* text) {
    try {
      (void)parseOption(*findOption(name, Place::kProblem), text, 2);
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
    return std::string("(accepted)");
  };
  EXPECT_EQ(message("cone_edges", "7"), "cone_edges is 7; an even number from 4 to 64");
  EXPECT_EQ(message("tolerance", "0"), "tolerance is 0; a number > 0 and < 1");
  EXPECT_EQ(message("plus.theta_max", "nan"), "plus.theta_max is nan; a number > 0 and at most 1.5 [rad]");
  EXPECT_EQ(message("smooth_cone", "yes"), "smooth_cone is yes; true or false");
  EXPECT_EQ(message("order", "0,0"), "order is 0,0; every contact from 0 to 1 once");
  EXPECT_EQ(message("stiffness", "1,"), "stiffness is 1,; a list of 2, one for each contact, each a number > 0");
  EXPECT_EQ(findOption("stiffness", Place::kScene), nullptr);
  EXPECT_EQ(findOption("step", Place::kScene)->unit, "");
  EXPECT_EQ(findOption("step", Place::kProblem)->unit, "N s");
}

/// Anitescu and Potra's model, with a restitution of its own where that is given: other tests go through all models,
/// this one too.
class Bouncy final : public Resolver {
 public:
  ImpactStatus resolve(const ImpactProblem& problem, const ImpactOptions& options, RandomKey key,
                       ImpactOutcome& outcome) override {
    const auto share = options.own.find("bouncy.share");
    if (share == options.own.end()) return model_.resolve(problem, options, key, outcome);
    ImpactProblem bouncing = problem;
    bouncing.restitution.assign(problem.friction.size(), std::get<double>(share->second));
    return model_.resolve(bouncing, options, key, outcome);
  }
  std::string_view assumption() const override { return "all contacts bounce alike"; }

 private:
  AnitescuPotra model_;
};

Model bouncy() {
  return {.name = "bouncy-test",
          .gives = "one outcome",
          .make = [] { return std::make_unique<Bouncy>(); },
          .options = {{.name = "bouncy.share",
                       .meaning = "share of the speed that returns",
                       .least = 0,
                       .most = 1,
                       .standard = 0.5}}};
}

TEST(ModelRegistry, ARegisteredModelIsOneLikeTheOthers) {
  if (!findModel("bouncy-test")) registerModel(bouncy());
  EXPECT_THAT(resolverNames(), Contains("bouncy-test"));
  EXPECT_THAT(runResolverNames(), Contains("bouncy-test"));
  EXPECT_THAT(describeModels(false), HasSubstr("bouncy.share (default 0.5)"));
  ImpactOptions options;
  setOption(*findOption("bouncy.share", Place::kScene), 0.25, 1, options);
  ImpactProblem drop;
  drop.mass_matrix = Eigen::MatrixXd::Identity(1, 1);
  drop.normal = Eigen::MatrixXd::Identity(1, 1);
  drop.tangent = {Eigen::MatrixXd(0, 1)};
  drop.friction = {0};
  drop.velocity = Eigen::VectorXd::Constant(1, -2);
  ImpactOutcome outcome;
  ASSERT_EQ(makeResolver("bouncy-test")->resolve(drop, options, {}, outcome), ImpactStatus::kResolved);
  EXPECT_DOUBLE_EQ(outcome.velocity[0], 0.5);
}

/// Routh's model, inside of another.
class Wrapped final : public Resolver {
 public:
  ImpactStatus resolve(const ImpactProblem& problem, const ImpactOptions& options, RandomKey key,
                       ImpactOutcome& outcome) override {
    return model_.resolve(problem, options, key, outcome);
  }
  bool isRandom() const override { return true; }
  void mixRates(bool mixed) override { model_.mixRates(mixed); }
  std::string_view assumption() const override { return "as routh"; }

 private:
  Routh model_;
};

TEST(ModelRegistry, CornersOfTheSetAreOutcomesOfModelsThatSaySo) {
  const auto make = [] { return std::make_unique<Wrapped>(); };
  if (!findModel("set-test")) registerModel({.name = "set-test", .gives = "all", .make = make, .draws_the_set = true});
  if (!findModel("some-test")) registerModel({.name = "some-test", .gives = "some", .make = make});
  const ImpactProblem problem = test::rockingBlock();
  SamplerOptions sampler;
  sampler.samples = 40, sampler.corners = true;
  const SampleSet all = drawSamples("set-test", problem, {}, sampler),
                  some = drawSamples("some-test", problem, {}, sampler);
  const std::vector<ImpactOutcome> corners = cornerOutcomes(problem, 10, ImpactOptions().cone_edges);
  ASSERT_FALSE(corners.empty());
  ASSERT_EQ(all.corners.size(), corners.size());
  for (std::size_t k = 0; k < corners.size(); ++k)
    EXPECT_EQ(all.velocity.col(static_cast<long>(k)), corners[k].velocity) << k;
  EXPECT_TRUE(some.corners.empty());
  EXPECT_EQ(some.velocity.cols(), 40);
  for (const bool mixed : {false, true}) {
    sampler.mixed_rates = mixed;
    EXPECT_EQ(drawSamples("set-test", problem, {}, sampler).velocity,
              drawSamples("routh", problem, {}, sampler).velocity);
  }
}

/// Contacts act one after the other, in the order that its own option says, from its end.
class LastFirst final : public Resolver {
 public:
  ImpactStatus resolve(const ImpactProblem& problem, const ImpactOptions& options, RandomKey key,
                       ImpactOutcome& outcome) override {
    ImpactOptions reversed = options;
    if (const auto own = options.own.find("last_first.order"); own != options.own.end()) {
      const auto& order = std::get<std::vector<double>>(own->second);
      reversed.order.assign(order.rbegin(), order.rend());
    }
    return model_.resolve(problem, reversed, key, outcome);
  }
  std::string_view assumption() const override { return "the last contact acts first"; }

 private:
  Sequential model_;
};

TEST(ModelRegistry, EveryOrderIsTriedOfModelsThatTakeOne) {
  if (!findModel("last-first-test")) {
    registerModel({.name = "last-first-test",
                   .gives = "one outcome an order",
                   .make = [] { return std::make_unique<LastFirst>(); },
                   .options = {{.name = "last_first.order",
                                .kind = Kind::kOrder,
                                .meaning = "the order, from its end",
                                .standard_in_words = "1, 0, ...",
                                .place = Place::kProblem}}});
  }
  EXPECT_EQ(findModel("routh")->orderOption(), nullptr);
  EXPECT_EQ(findModel("sequential")->orderOption()->name, "order");
  std::vector<OrderedOutcome> ours, others;
  int unfinished = 0;
  const ImpactProblem problem = test::rockingBlock();
  ASSERT_EQ(resolveAllOrders(*findModel("sequential"), problem, {}, others, unfinished), ImpactStatus::kResolved);
  ASSERT_EQ(resolveAllOrders(*findModel("last-first-test"), problem, {}, ours, unfinished), ImpactStatus::kResolved);
  ASSERT_EQ(ours.size(), 2u);
  for (std::size_t k = 0; k < 2; ++k) EXPECT_EQ(ours[k].outcome.velocity, others[1 - k].outcome.velocity) << k;
}

TEST(ModelRegistry, WhatCannotBeRegisteredSaysWhy) {
  const auto refused = [](const std::function<void(Model&)>& change) {
    Model model = bouncy();
    model.name = "never";
    change(model);
    try {
      registerModel(model);
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
    return std::string("(accepted)");
  };
  EXPECT_THAT(refused([](Model& m) { m.name = "routh"; }), HasSubstr("already"));
  EXPECT_THAT(refused([](Model& m) { m.name = "two words"; }), HasSubstr("letters"));
  EXPECT_THAT(refused([](Model& m) { m.name = "all"; }), HasSubstr("every model"));
  EXPECT_THAT(refused([](Model& m) { m.name = "coulomb"; }), HasSubstr("no model resolved"));
  EXPECT_THAT(refused([](Model& m) { m.name = "velocity-set"; }), HasSubstr("no model resolved"));
  EXPECT_THAT(refused([](Model& m) { m.make = {}; }), HasSubstr("makes it"));
  EXPECT_THAT(refused([](Model& m) { m.options[0].standard = 2.0; }), HasSubstr("from 0 to 1"));
  EXPECT_THAT(refused([](Model& m) { m.options[0].name = "cone_edges"; }), HasSubstr("another kind"));
  EXPECT_THAT(refused([](Model& m) { m.options[0].kind = Kind::kNumberOfEach; }), HasSubstr("counts contacts"));
  EXPECT_EQ(findModel("never"), nullptr);
}

TEST(ModelRegistry, DocsHaveItsTables) {
  std::ifstream file(RIGOR_SOURCE_DIR "/docs/impact-problems.md");
  std::ostringstream docs;
  docs << file.rdbuf();
  std::istringstream lines(describeModels(true));
  for (std::string line; std::getline(lines, line);) {
    if (line.find("-test") != std::string::npos) continue;  // A model of this file, or an option of one.
    EXPECT_THAT(docs.str(), HasSubstr(line));
  }
}

}  // namespace
}  // namespace rigor::impact
