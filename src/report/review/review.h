// What a run tells build servers, code hosts and graph viewers. Commands fill it (review_COMMAND.cpp), formats/ write it.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "visq/check.h"
#include "visq/compare.h"
#include "visq/diagnose.h"
#include "visq/report.h"

namespace visq::report {

/// A piece of a line: words of ours, or text of models, files and users, which every format escapes as its readers need.
struct Piece {
  std::string text;
  bool foreign = false;
};
using Line = std::vector<Piece>;

inline Piece own(std::string text) { return {std::move(text), false}; }
inline Piece foreign(std::string text) { return {std::move(text), true}; }

struct ReviewPlace {
  int subgraph = 0;
  std::string name, op;      ///< of the tensor, and of the operator that makes it
  std::string display = {};  ///< the name for people; empty: the same
};

/// Something to look at.
struct ReviewFinding {
  std::string rule;  ///< its kind, as an id
  std::string help;  ///< what the kind means, one line
  Severity severity = Severity::kHint;
  std::string text;                  ///< one line
  std::string model;                 ///< path
  std::optional<ReviewPlace> place;  ///< nothing: the model as a whole
  std::string subject = {};          ///< what of its rule and place it is about, in words that stay when numbers change
};

/// A check by a name that is the same from run to run. It passes where both lists are empty.
struct ReviewCase {
  std::string name;
  std::vector<std::string> failures;
  std::string error;  ///< why it could not be made
};

struct ReviewSuite {
  std::string name;
  std::vector<ReviewCase> cases;
  std::vector<std::string> output;  ///< lines for the reader
};

struct ReviewTable {
  std::vector<std::string> titles;
  std::vector<Line> rows;   ///< a piece per column
  std::size_t numbers = 0;  ///< columns from this one on are numbers
};

/// A heading with a table, a list, a sentence, whatever of them there is.
struct ReviewSection {
  std::string title;
  ReviewTable table;
  std::vector<Line> items;
  std::string remark;
};

/// What a graph viewer shows at a node: a number, or a word with a colour.
struct NodeValue {
  int subgraph = 0;
  std::string name;  ///< of the node's first output
  double number = 0;
  std::string word, color;
};

struct NodeData {
  std::string key;    ///< part of the file's name
  std::string label;  ///< what the viewer calls it
  std::vector<NodeValue> values;
  std::vector<VisqFile::Bin> bins;  ///< the colours of numbers; none: these are words
};

struct Review {
  std::string stem;  ///< what its files are named after
  std::string name;  ///< "compare a.tflite b.tflite"
  Piece title;
  Line subject;  ///< what was held against what
  std::vector<std::pair<std::string, std::string>> properties;
  std::optional<bool> passed;  ///< whether all conditions hold; nothing where there are none
  std::string verdict;         ///< the same in words
  std::vector<Line> failures;  ///< what does not hold
  std::vector<ReviewSection> sections;
  std::vector<ReviewFinding> findings;
  std::vector<ReviewSuite> suites;
  std::vector<NodeData> node_data;
  std::vector<std::string> graphs;  ///< per subgraph what a graph viewer calls it
};

/// What a graph viewer calls a model's subgraphs: circle's main one "main", TFLite's after the subgraph's name or signature.
/// `names`: as in Graph::subgraphs.
std::vector<std::string> viewer_graphs(std::string_view format, const std::vector<std::string>& names, std::size_t at_least);

Review review_of(const CompareResult& result, const ReportOptions& options);

/// `lowest`: findings of this severity or worse fail; nothing: errors do, but the review has no verdict.
Review review_of(const DiagnoseResult& result, const Graph& reference, const Graph& quantized, std::optional<Severity> lowest,
                 const ReportOptions& options);

/// `graph`: the model's.
Review review_of(const CheckResult& result, const Graph& graph, const ReportOptions& options);

}  // namespace visq::report
