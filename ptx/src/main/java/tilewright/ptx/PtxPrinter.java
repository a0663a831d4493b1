package tilewright.ptx;

import java.util.List;
import java.util.stream.Collectors;

/** Writes a module as PTX text, one statement a line; {@link PtxParser} reads the same module back. */
public final class PtxPrinter {
  private final StringBuilder out = new StringBuilder();

  private PtxPrinter() {}

  public static String print(PtxModule module) {
    var printer = new PtxPrinter();
    printer.module(module);
    return printer.out.toString();
  }

  /** One statement without indentation, such as {@code add.s32 %r1, %r2, 4;}. */
  public static String print(Statement statement) {
    var printer = new PtxPrinter();
    printer.statement(statement, 0);
    return printer.out.toString().strip();
  }

  private void module(PtxModule module) {
    line(0, ".version " + module.version());
    line(0, ".target " + String.join(", ", module.targets()));
    line(0, ".address_size " + module.addressSize());
    out.append('\n');
    for (var item : module.items()) {
      switch (item) {
        case PtxModule.Alias alias -> line(0, ".alias " + alias.name() + ", " + alias.aliasee() + ";");
        case PtxModule.SourceFile file -> line(0, ".file " + file.index() + " " + quoted(file.path()));
        case Variable variable -> line(0, variable(variable) + ";");
        case Function function -> function(function);
      }
    }
  }

  private void function(Function function) {
    out.append('\n');
    String linkage = function.linkage() == Linkage.LOCAL ? "" : function.linkage().directive() + " ";
    String results = function.results().isEmpty() ? "" : inlined(function.results()) + " ";
    String kind = function.entry() ? ".entry " : ".func ";
    line(0, linkage + kind + results + function.name() + parameters(function.parameters()));
    for (var directive : function.directives()) line(0, directive(directive));
    function.body().ifPresentOrElse(body -> block(body, 0), () -> line(0, ";"));
  }

  private static String inlined(List<Variable> variables) {
    return variables.stream().map(PtxPrinter::variable).collect(Collectors.joining(", ", "(", ")"));
  }

  private static String parameters(List<Variable> parameters) {
    if (parameters.isEmpty()) return "()";
    return parameters.stream().map(PtxPrinter::variable).collect(Collectors.joining(",\n  ", "(\n  ", "\n)"));
  }

  private static String directive(Function.Directive directive) {
    String values = directive.values().stream().map(String::valueOf).collect(Collectors.joining(", "));
    return ("." + directive.name() + " " + values).strip();
  }

  private static String variable(Variable variable) {
    var text = new StringBuilder();
    if (variable.linkage() != Linkage.LOCAL) text.append(variable.linkage().directive()).append(' ');
    text.append('.').append(variable.space().text());
    if (variable.alignment() > 0) text.append(" .align ").append(variable.alignment());
    if (variable.vector() > 1) text.append(" .v").append(variable.vector());
    text.append(" .").append(variable.type().text()).append(' ').append(variable.name());
    for (long extent : variable.dimensions()) text.append('[').append(extent == 0 ? "" : extent).append(']');
    if (!variable.initializer().isEmpty()) text.append(" = ").append(initializer(variable));
    return text.toString();
  }

  private static String initializer(Variable variable) {
    boolean scalar = variable.dimensions().isEmpty() && variable.vector() == 1;
    String elements = OperandPrinter.join(variable.initializer());
    return scalar && variable.initializer().size() == 1 ? elements : "{" + elements + "}";
  }

  private void block(List<Statement> body, int depth) {
    line(depth, "{");
    for (var statement : body) statement(statement, depth + 1);
    line(depth, "}");
  }

  private void statement(Statement statement, int depth) {
    switch (statement) {
      case Instruction instruction -> line(depth, instruction(instruction));
      case Variable variable -> line(depth, variable(variable) + ";");
      case Statement.Label label -> line(Math.max(0, depth - 1), label.name() + ":");
      case Statement.Registers registers -> line(depth, registers(registers));
      case Statement.Block block -> block(block.body(), depth);
      case Statement.Location at -> line(depth, ".loc " + at.file() + " " + at.line() + " " + at.column());
      case Statement.Comment comment -> line(depth, comment.text().isEmpty() ? "//" : "// " + comment.text());
      case Statement.Pragma pragma -> line(depth, ".pragma " + quoted(pragma.text()) + ";");
      case Statement.BranchTargets targets ->
          line(depth, targets.name() + ": .branchtargets " + String.join(", ", targets.labels()) + ";");
      case Statement.CallTargets targets ->
          line(depth, targets.name() + ": .calltargets " + String.join(", ", targets.functions()) + ";");
      case Statement.CallPrototype prototype -> line(depth, prototype(prototype));
    }
  }

  private static String prototype(Statement.CallPrototype prototype) {
    String results = prototype.results().isEmpty() ? "" : inlined(prototype.results()) + " ";
    String end = prototype.noReturn() ? " .noreturn;" : ";";
    return prototype.name() + ": .callprototype " + results + "_ " + inlined(prototype.parameters()) + end;
  }

  private static String registers(Statement.Registers registers) {
    String vector = registers.vector() > 1 ? " .v" + registers.vector() : "";
    String range = registers.count() > 0 ? "<" + registers.count() + ">" : "";
    return ".reg" + vector + " ." + registers.type().text() + " " + registers.name() + range + ";";
  }

  private static String instruction(Instruction instruction) {
    String guard = instruction.guard().map(g -> (g.negated() ? "@!" : "@") + g.predicate() + " ").orElse("");
    String operands = instruction.operands().isEmpty() ? "" : " " + OperandPrinter.join(instruction.operands());
    return guard + instruction.name() + operands + ";";
  }

  private static String quoted(String text) {
    return "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
  }

  private void line(int depth, String text) {
    out.repeat("  ", depth).append(text).append('\n');
  }
}
