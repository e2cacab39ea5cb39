// Parts that the reviews of several commands have in common.
#pragma once

#include <string>
#include <vector>

#include "report/review/review.h"

namespace visq::report {

/// A path without folder and ending; "model" where nothing is left.
std::string stem_of(const std::string& path);

/// A suite with one case per name, in their order; a finding's rule is the name of its case. Errors fail, or what is at least as severe as
/// `lowest`; the others are told in the suite's output.
ReviewSuite suite_of_rules(const std::string& title, const std::vector<std::string>& rules, const std::vector<ReviewFinding>& findings,
                           Severity lowest);

/// The findings as a table: severity, kind, node, what was found.
ReviewSection findings_section(const std::vector<ReviewFinding>& findings);

/// The words of a node's findings in a graph viewer, coloured by the most severe of them.
class WordsOfNodes {
 public:
  void add(int subgraph, const std::string& name, const std::string& word, Severity severity);
  NodeData take(std::string key, std::string label);

 private:
  struct Entry {
    NodeValue value;
    Severity severity;
  };
  std::vector<Entry> entries_;  ///< in the order of their first findings
};

}  // namespace visq::report
