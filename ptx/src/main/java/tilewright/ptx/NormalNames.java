package tilewright.ptx;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The names of {@link PtxNormalForm}: a kind and a number, which counts the names of that kind in a function in the
 * order in which they are first asked for. A name that the module does not declare stays as it is, as do the names of
 * device functions and of variables of other modules, which a linker resolves.
 */
final class NormalNames {
  private final Optional<NormalNames> outer;
  private final Map<String, Integer> counts;
  /** The kinds of the names that are declared here. */
  private final Map<String, String> kinds = new HashMap<>();
  /** The kinds of ranges of registers by their prefix, and how many registers each has. */
  private final Map<String, Statement.Registers> ranges = new HashMap<>();
  private final Map<String, String> names = new HashMap<>();

  private NormalNames(Optional<NormalNames> outer, Map<String, Integer> counts) {
    this.outer = outer;
    this.counts = counts;
  }

  static NormalNames ofModule(PtxModule module) {
    var names = new NormalNames(Optional.empty(), new HashMap<>());
    for (var item : module.items()) {
      if (item instanceof Variable variable) names.declare(variable, "global_");
      if (item instanceof Function f && f.entry()) names.kinds.put(f.name(), "entry_");
    }
    return names;
  }

  /** The names in a function: its parameters and what its body declares outside of blocks. */
  NormalNames ofFunction(Function function) {
    var inner = new NormalNames(Optional.of(this), new HashMap<>());
    function.results().forEach(v -> inner.declare(v, "result_"));
    function.parameters().forEach(v -> inner.declare(v, "parameter_"));
    function.body().ifPresent(inner::declare);
    return inner;
  }

  /** The names in a block inside the scope of these. */
  NormalNames ofBlock(List<Statement> body) {
    var inner = new NormalNames(Optional.of(this), counts);
    inner.declare(body);
    return inner;
  }

  private void declare(List<Statement> body) {
    for (var statement : body) {
      switch (statement) {
        case Variable variable -> declare(variable, "variable_");
        case Statement.Label(String name) -> kinds.put(name, "label_");
        case Statement.BranchTargets targets -> kinds.put(targets.name(), "targets_");
        case Statement.CallTargets targets -> kinds.put(targets.name(), "targets_");
        case Statement.CallPrototype prototype -> kinds.put(prototype.name(), "prototype_");
        case Statement.Registers registers when registers.count() == 0 -> kinds.put(registers.name(), kind(registers));
        case Statement.Registers registers -> ranges.put(registers.name(), registers);
        case Instruction _, Statement.Block _, Statement.Comment _, Statement.Location _, Statement.Pragma _ -> { }
      }
    }
  }

  private void declare(Variable variable, String kind) {
    // All external variables in shared memory are the launch's dynamic shared memory.
    if (variable.linkage() != Linkage.EXTERN || variable.space() == StateSpace.SHARED) kinds.put(variable.name(), kind);
  }

  private static String kind(Statement.Registers registers) {
    return "%" + (registers.vector() > 1 ? "v" + registers.vector() + "_" : "") + registers.type().text() + "_";
  }

  /** The name in normal form of what is declared under a name, or of an element of a vector register: {@code v.x}. */
  String of(String name) {
    return find(name).or(() -> {
      int dot = name.indexOf('.');
      return dot < 0 ? Optional.empty() : find(name.substring(0, dot)).map(found -> found + name.substring(dot));
    }).orElse(name);
  }

  private Optional<String> find(String name) {
    var known = names.get(name);
    if (known != null) return Optional.of(known);
    var kind = Optional.ofNullable(kinds.get(name)).or(() -> ofRange(name));
    if (kind.isEmpty()) return outer.flatMap(scope -> scope.find(name));
    var fresh = kind.get() + counts.merge(kind.get(), 1, Integer::sum);
    names.put(name, fresh);
    return Optional.of(fresh);
  }

  /** The prefix of a range may itself end in digits: {@code r1<10>} declares r10 to r19. */
  private Optional<String> ofRange(String name) {
    for (int split = name.length() - 1; split > 0 && Character.isDigit(name.charAt(split)); split--) {
      var range = ranges.get(name.substring(0, split));
      if (range != null && Scope.inRange(name, split, range.count())) return Optional.of(kind(range));
    }
    return Optional.empty();
  }
}
