// SPDX-License-Identifier: MIT
#include "atlas/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace rigor::atlas {
namespace {

using Json = nlohmann::ordered_json;

struct Sizes {
  int exact = 0, bounded = 0, still = 0;  // still: exact sets in which no contact lifts
  double most = 0;                        // largest lift of an exact set
  const Cell* where = nullptr;
};

// A lift below this part of the largest contact speed before is none: exact zeros, as doubles.
constexpr double kNoLift = 1e-12;

Sizes sizesOf(const Map& map) {
  Sizes sizes;
  for (const Cell& cell : map.cells) {
    if (!cell.exact) {
      sizes.bounded += cell.most_lift.has_value();
      continue;
    }
    ++sizes.exact;
    sizes.still += *cell.most_lift <= kNoLift;
    if (!sizes.where || *cell.most_lift > sizes.most) sizes.most = *cell.most_lift, sizes.where = &cell;
  }
  return sizes;
}

std::string fileNameOf(const Map& map, const std::string& what) {
  std::string name = map.family->name + '-' + what + ".svg";
  std::replace(name.begin(), name.end(), ' ', '-');
  std::erase_if(name, [](char c) { return c == ',' || c == '='; });
  return name;
}

std::string sizeSentence(const Map& map) {
  const Sizes sizes = sizesOf(map);
  std::string text = fmt::format("{} impacts; {} exact sets", map.cells.size(), sizes.exact);
  if (sizes.bounded > 0) text += fmt::format(", {} bounded", sizes.bounded);
  if (sizes.where) {
    text += fmt::format("; no contact lifts in {};\n  largest lift {:.4g} ({} {:.3g}, {} {:.3g})", sizes.still,
                        sizes.most, map.family->x.name, sizes.where->x, map.family->y.name, sizes.where->y);
  }
  return text;
}

std::string verdictOf(const Score& score) {
  if (score.answers == 0) return "no answer";
  std::string text = score.outside == 0 ? std::string("inside") : fmt::format("{} outside", score.outside);
  if (score.answers < score.asked) text += fmt::format(" of {}", score.answers);
  return text + fmt::format(", at most {:.2g}", score.worst);
}

}  // namespace

std::vector<Score> scoresOf(const Map& map) {
  std::vector<Score> scores;
  for (std::size_t k = 0; k < map.cells.size(); ++k) {
    if (!map.cells[k].most_lift) continue;  // Nothing to hold outcomes against.
    for (const Landing& landing : map.cells[k].landings) {
      auto score = std::find_if(scores.begin(), scores.end(), [&](const Score& s) { return s.name == landing.name; });
      if (score == scores.end()) score = scores.insert(scores.end(), Score{.name = landing.name});
      ++score->asked;
      score->answers += landing.outcomes > 0;
      score->worst = std::max(score->worst, landing.outside);
      if (landing.outside > insideOf(landing)) ++score->outside, score->cells.push_back(k);
    }
  }
  return scores;
}

std::vector<std::pair<std::string, Chart>> chartsOf(const Map& map) {
  std::vector<std::pair<std::string, Chart>> charts;
  const auto blank = [&](std::string title) {
    Chart chart{std::move(title), map.family->x.name, map.family->y.name, map.xs, map.ys, {}, 0};
    return chart;
  };
  if (std::any_of(map.cells.begin(), map.cells.end(), [](const Cell& cell) { return cell.most_lift.has_value(); })) {
    Chart size = blank(map.family->name + ": largest lift of a contact, of the contact speed before");
    for (const Cell& cell : map.cells) size.values.push_back(cell.most_lift);
    charts.emplace_back(fileNameOf(map, "size"), std::move(size));
  }
  for (const Score& score : scoresOf(map)) {
    if (score.outside == 0) continue;
    Chart chart = blank(fmt::format("{}: how far {} ends outside", map.family->name, score.name));
    for (const Cell& cell : map.cells) {
      std::optional<double> value;
      for (const Landing& landing : cell.landings) {
        if (landing.name != score.name || landing.outcomes == 0) continue;
        value = landing.outside;
        chart.least = insideOf(landing);
      }
      chart.values.push_back(value);
    }
    charts.emplace_back(fileNameOf(map, score.name), std::move(chart));
  }
  return charts;
}

std::string atlasPage(const std::vector<Map>& maps) {
  std::string page =
      "# An atlas of impacts\n\nFamilies of impacts without restitution, each over two numbers: how large the exact "
      "set of outcomes is, and which\noutcomes of models, springs and other engines lie outside it, by how much; all "
      "relative to the largest contact speed\nbefore. Made by `rigor atlas`; [Sets of outcomes](../impact-sets.md#the-"
      "atlas) says what the words mean.\n\n";
  std::string head = "| |", rule = "|---|";
  for (const Map& map : maps) head += ' ' + map.family->name + " |", rule += "---|";
  page += head + '\n' + rule + '\n';
  std::vector<std::string> names;
  for (const Map& map : maps) {
    for (const Score& score : scoresOf(map)) {
      if (std::find(names.begin(), names.end(), score.name) == names.end()) names.push_back(score.name);
    }
  }
  for (const std::string& name : names) {
    page += "| " + name + " |";
    for (const Map& map : maps) {
      std::string entry = "not asked";
      for (const Score& score : scoresOf(map)) {
        if (score.name == name) entry = verdictOf(score);
      }
      page += ' ' + entry + " |";
    }
    page += '\n';
  }
  for (const Map& map : maps) {
    page += fmt::format("\n## {}\n\nWhat happens: {}.\nAcross: {}; up: {}.\n{}.\n\n", map.family->name,
                        map.family->title, map.family->x.name, map.family->y.name, sizeSentence(map));
    for (const auto& [file, chart] : chartsOf(map)) page += fmt::format("![{}]({})\n", chart.title, file);
  }
  return page;
}

std::string atlasText(const std::vector<Map>& maps) {
  std::string text;
  for (const Map& map : maps) {
    text += fmt::format("{}: {}\n  {}\n", map.family->name, map.family->title, sizeSentence(map));
    for (const Score& score : scoresOf(map)) text += fmt::format("  {:<22}{}\n", score.name, verdictOf(score));
  }
  return text;
}

std::string atlasJson(const std::vector<Map>& maps) {
  Json all = Json::array();
  for (const Map& map : maps) {
    Json cells = Json::array();
    for (const Cell& cell : map.cells) {
      Json landings = Json::array();
      for (const Landing& landing : cell.landings)
        landings.push_back({{"name", landing.name}, {"outcomes", landing.outcomes}, {"outside", landing.outside}});
      cells.push_back({{"x", cell.x},
                       {"y", cell.y},
                       {"exact", cell.exact},
                       {"pieces", cell.pieces},
                       {"dimension", cell.dimension},
                       {"most_lift", cell.most_lift ? Json(*cell.most_lift) : Json(nullptr)},
                       {"found_lift", cell.found_lift},
                       {"landings", std::move(landings)}});
    }
    all.push_back({{"name", map.family->name},
                   {"title", map.family->title},
                   {"x", map.family->x.name},
                   {"y", map.family->y.name},
                   {"cells", std::move(cells)}});
  }
  return Json{{"families", std::move(all)}}.dump();
}

}  // namespace rigor::atlas
