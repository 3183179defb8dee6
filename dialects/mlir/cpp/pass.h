// Passes and pipelines described by a table, with their options.
#ifndef CKE_PASS_H
#define CKE_PASS_H

#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "tables.h"
#include <variant>

namespace {
/// The options of a pass or a pipeline in the order of their table.
class OptionValues {
public:
  enum Kind : uint32_t { TEXT, INTEGER, FLAG, TEXTS, INTEGERS };

  /// Adds the options to a pass or to the options of a pipeline.
  template <typename Parent> OptionValues(Parent &parent, ArrayRef<CkeOption> table) {
    using Base = std::conditional_t<std::is_base_of_v<Pass, Parent>, Pass, detail::PassOptions>;
    for (const CkeOption &option : table) {
      StringRef initial = unwrap(option.initial);
      SmallVector<StringRef> parts;
      initial.split(parts, ',', -1, /*KeepEmpty=*/false);
      switch (option.kind) {
      case TEXT:
        add<typename Base::template Option<std::string>>(parent, option, llvm::cl::init(initial.str()));
        break;
      case INTEGER:
        add<typename Base::template Option<int64_t>>(parent, option, llvm::cl::init(integer(initial)));
        break;
      case FLAG:
        add<typename Base::template Option<bool>>(parent, option, llvm::cl::init(initial == "true"));
        break;
      case TEXTS: {
        std::vector<std::string> values(parts.begin(), parts.end());
        add<typename Base::template ListOption<std::string>>(parent, option, llvm::cl::list_init<std::string>(values));
        break;
      }
      case INTEGERS: {
        std::vector<int64_t> values;
        llvm::append_range(values, llvm::map_range(parts, integer));
        add<typename Base::template ListOption<int64_t>>(parent, option, llvm::cl::list_init<int64_t>(values));
        break;
      }
      }
    }
  }
  template <typename T> const T &get(intptr_t i) const {
    return std::get<std::unique_ptr<Option<T>>>(options[i])->getValue();
  }
  template <typename T> ArrayRef<T> list(intptr_t i) const {
    return **std::get<std::unique_ptr<ListOption<T>>>(options[i]);
  }
  template <typename T> bool isList(intptr_t i) const {
    return std::holds_alternative<std::unique_ptr<ListOption<T>>>(options[i]);
  }

private:
  template <typename T> using Option = detail::PassOptions::Option<T>;
  template <typename T> using ListOption = detail::PassOptions::ListOption<T>;
  using Value = std::variant<std::unique_ptr<Option<std::string>>, std::unique_ptr<Option<int64_t>>,
                             std::unique_ptr<Option<bool>>, std::unique_ptr<ListOption<std::string>>,
                             std::unique_ptr<ListOption<int64_t>>>;
  std::vector<Value> options;

  template <typename T, typename Parent, typename Initial>
  void add(Parent &parent, const CkeOption &option, Initial &&initial) {
    options.emplace_back(std::make_unique<T>(parent, unwrap(option.name), llvm::cl::desc(unwrap(option.help)),
                                             std::forward<Initial>(initial)));
  }
  static int64_t integer(StringRef text) {
    int64_t value = 0;
    text.getAsInteger(10, value);
    return value;
  }
};

class RustPass : public Pass {
public:
  RustPass(const CkePass &table, TypeID id)
      : Pass(id, table.anchor.length ? std::optional<StringRef>(unwrap(table.anchor)) : std::nullopt), table(table),
        id(id), options(*this, ArrayRef(table.options, table.optionCount)) {}
  StringRef getName() const final { return unwrap(table.argument); }
  StringRef getArgument() const final { return unwrap(table.argument); }
  StringRef getDescription() const final { return unwrap(table.summary); }
  void getDependentDialects(DialectRegistry &registry) const final {
    table.dependentDialects(wrap(&registry), table.user);
  }
  bool canScheduleOn(RegisteredOperationName name) const final {
    return !table.anchor.length || name.getStringRef() == unwrap(table.anchor);
  }
  std::unique_ptr<Pass> clonePass() const final { return std::make_unique<RustPass>(table, id); }
  LogicalResult initializeOptions(StringRef text, function_ref<LogicalResult(const Twine &)> error) final {
    if (failed(Pass::initializeOptions(text, error)))
      return failure();
    std::string message;
    return table.validate(&options, &message, table.user) ? success() : error(getArgument() + ": " + message);
  }
  void runOnOperation() final {
    if (!table.run(wrap(getOperation()), this, &options, table.user))
      signalPassFailure();
  }
  LogicalResult runNested(OpPassManager &pipeline, Operation *op) { return runPipeline(pipeline, op); }

private:
  const CkePass &table;
  TypeID id;
  OptionValues options;
};
} // namespace

extern "C" {
MlirStringRef ckeOptionText(const OptionValues *o, intptr_t i) { return wrap(StringRef(o->get<std::string>(i))); }
int64_t ckeOptionInteger(const OptionValues *o, intptr_t i) { return o->get<int64_t>(i); }
int8_t ckeOptionFlag(const OptionValues *o, intptr_t i) { return o->get<bool>(i); }
intptr_t ckeOptionLength(const OptionValues *o, intptr_t i) {
  return o->isList<std::string>(i) ? o->list<std::string>(i).size() : o->list<int64_t>(i).size();
}
MlirStringRef ckeOptionListText(const OptionValues *o, intptr_t i, intptr_t k) {
  return wrap(StringRef(o->list<std::string>(i)[k]));
}
int64_t ckeOptionListInteger(const OptionValues *o, intptr_t i, intptr_t k) { return o->list<int64_t>(i)[k]; }
void ckeAppend(std::string *to, MlirStringRef text) { *to += unwrap(text); }

void ckeRegisterPass(const CkePass *table) {
  TypeID id = freshTypeID();
  registerPass([=]() -> std::unique_ptr<Pass> { return std::make_unique<RustPass>(*table, id); });
}
void ckeRegisterPipeline(const CkePipeline *table) {
  ArrayRef<CkeOption> options(table->options, table->optionCount);
  registerPassPipeline(
      unwrap(table->name), unwrap(table->summary),
      [=](OpPassManager &manager, StringRef text, function_ref<LogicalResult(const Twine &)> error) -> LogicalResult {
        detail::PassOptions parent;
        OptionValues values(parent, options);
        if (failed(parent.parseFromString(text)))
          return failure();
        std::string out, errors;
        if (!table->expand(&values, &out, table->user))
          return error(unwrap(table->name) + ": " + out);
        llvm::raw_string_ostream stream(errors);
        return succeeded(parsePassPipeline(out, manager, stream)) ? success() : error(errors);
      },
      [=](function_ref<void(const detail::PassOptions &)> visit) {
        detail::PassOptions parent;
        OptionValues values(parent, options);
        visit(parent);
      });
}
/// Runs "builtin.module(..)" on an operation within the run of a pass.
int8_t ckeRunNested(RustPass *pass, MlirOperation op, MlirStringRef text) {
  std::string errors;
  llvm::raw_string_ostream stream(errors);
  FailureOr<OpPassManager> manager = parsePassPipeline(unwrap(text), stream);
  if (failed(manager)) {
    emitError(unwrap(op)->getLoc()) << StringRef(errors).trim();
    return false;
  }
  return succeeded(pass->runNested(*manager, unwrap(op)));
}
} // extern "C"

#endif // CKE_PASS_H
