package tilewright.ptx;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Finds mistakes that the syntax of PTX allows: unknown instructions, names nobody declares, wrong counts of operands,
 * and what the module's {@code .version} or {@code .target} does not have yet. It knows less than an assembler: a
 * module without findings may still be rejected.
 */
public final class PtxCheck {
  private final InstructionTable table = new InstructionTable();
  private final PtxModule module;
  private final Optional<Target> target;
  private final List<Finding> findings = new ArrayList<>();

  private PtxCheck(PtxModule module) {
    this.module = module;
    target = Target.parse(module.target());
  }

  /**
   * A mistake.
   *
   * @param line where the instruction was read, 0 if it was not or if this is about no instruction
   * @param text the instruction or directive
   * @param rule what it breaks
   */
  public record Finding(int line, String text, String rule) {
    @Override
    public String toString() {
      return (line == 0 ? "" : "line " + line + ": ") + text + " " + rule;
    }
  }

  /** The findings in the order of the text. */
  public static List<Finding> check(PtxModule module) {
    var check = new PtxCheck(module);
    check.module();
    return List.copyOf(check.findings);
  }

  private void module() {
    String head = ".target " + module.target();
    if (target.isEmpty()) findings.add(new Finding(0, head, "names no architecture such as sm_80"));
    needs(0, head, table.of(module.target(), List.of()));
    var names = new HashSet<String>();
    names.add("WARP_SZ");
    for (var item : module.items()) {
      switch (item) {
        case Variable variable -> names.add(variable.name());
        case Function function -> {
          names.add(function.name());
          function(function, names);
        }
        case PtxModule.Alias alias -> names.add(alias.name());
        case PtxModule.SourceFile _ -> {}
      }
    }
  }

  private void function(Function function, Set<String> moduleNames) {
    for (var directive : function.directives()) {
      needs(0, "." + directive.name(), table.of("." + directive.name(), List.of()));
    }
    var names = new HashSet<>(moduleNames);
    var scope = Scope.ofFunction();
    for (var variable : function.results()) declare(variable, names, scope);
    for (var variable : function.parameters()) declare(variable, names, scope);
    function.body().ifPresent(body -> {
      collectNames(body, names);
      block(body, names, scope);
    });
  }

  private static void declare(Variable variable, Set<String> names, Scope scope) {
    if (variable.space() == StateSpace.REG) scope.declare(variable.name());
    else names.add(variable.name());
  }

  private static void collectNames(List<Statement> body, Set<String> names) {
    for (var statement : body) {
      switch (statement) {
        case Statement.Label(String name) -> names.add(name);
        case Statement.BranchTargets targets -> names.add(targets.name());
        case Statement.CallTargets targets -> names.add(targets.name());
        case Statement.CallPrototype prototype -> names.add(prototype.name());
        case Statement.Block(var inner) -> collectNames(inner, names);
        case Variable variable -> names.add(variable.name());
        default -> {}
      }
    }
  }

  private void block(List<Statement> body, Set<String> names, Scope scope) {
    for (var statement : body) {
      switch (statement) {
        case Statement.Registers registers -> scope.declare(registers);
        case Statement.Block(var inner) -> block(inner, names, scope.inner());
        case Statement.BranchTargets targets -> targets.labels().stream().filter(label -> !names.contains(label))
            .forEach(label -> findings.add(new Finding(0, PtxPrinter.print(targets), undeclared(label))));
        case Instruction instruction -> instruction(instruction, names, scope);
        default -> {}
      }
    }
  }

  private void instruction(Instruction instruction, Set<String> names, Scope scope) {
    String text = PtxPrinter.print(instruction);
    int line = instruction.line();
    instruction.guard().filter(guard -> !scope.declares(guard.predicate()))
        .ifPresent(guard -> findings.add(new Finding(line, text, undeclared(guard.predicate()))));
    for (var operand : instruction.operands()) operand(operand, line, text, names, scope);
    if (!table.knows(instruction.opcode())) {
      findings.add(new Finding(line, text, "is no known instruction"));
      return;
    }
    var forms = table.of(instruction.opcode(), instruction.modifiers());
    int count = instruction.operands().size();
    InstructionTable.operands(forms).filter(range -> !range.contains(count)).ifPresent(range ->
        findings.add(new Finding(line, text, "has " + count + " operands, but takes " + range)));
    needs(line, text, forms);
  }

  private void operand(Operand operand, int line, String text, Set<String> names, Scope scope) {
    switch (operand) {
      case Operand.Register(String name) -> {
        if (!scope.declares(name)) findings.add(new Finding(line, text, undeclared(name)));
      }
      case Operand.Symbol(String name) -> {
        if (!names.contains(name)) findings.add(new Finding(line, text, undeclared(name)));
      }
      case Operand.Special(String name) -> needs(line, text, table.of(name.split("\\.")[0], List.of()));
      case Operand.Masked(long _, Operand address) -> operand(address, line, text, names, scope);
      case Operand.Offset(Operand.Symbol symbol, long _) -> operand(symbol, line, text, names, scope);
      case Operand.Not(Operand inner) -> operand(inner, line, text, names, scope);
      case Operand.Negated(Operand inner) -> operand(inner, line, text, names, scope);
      case Operand.Pair(Operand first, Operand second) -> {
        operand(first, line, text, names, scope);
        operand(second, line, text, names, scope);
      }
      case Operand.Address(Operand base, long _, var coordinates) -> {
        operand(base, line, text, names, scope);
        for (var coordinate : coordinates) operand(coordinate, line, text, names, scope);
      }
      case Operand.Vector(var elements) -> elements.forEach(e -> operand(e, line, text, names, scope));
      case Operand.Group(var elements) -> elements.forEach(e -> operand(e, line, text, names, scope));
      case Operand.Integer _, Operand.Float _, Operand.Sink _ -> {}
    }
  }

  private void needs(int line, String text, List<InstructionTable.Form> forms) {
    var version = Version.parse(module.version());
    forms.stream().flatMap(form -> form.version().stream()).filter(v -> Version.parse(v).compareTo(version) > 0)
        .max((a, b) -> Version.parse(a).compareTo(Version.parse(b)))
        .ifPresent(v -> findings.add(new Finding(line, text, "needs .version " + v + ", not " + module.version())));
    forms.stream().flatMap(form -> form.targets().stream()).filter(t -> target.isPresent() && !target.get().meets(t))
        .reduce((_, last) -> last)
        .ifPresent(t -> findings.add(new Finding(line, text, "needs .target sm_"
            + t.replace("=", "").replace("|", " or sm_") + ", not " + module.target())));
  }

  private static String undeclared(String name) {
    return "uses '" + name + "', which nothing declares";
  }
}
