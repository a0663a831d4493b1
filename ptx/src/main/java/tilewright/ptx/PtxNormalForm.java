package tilewright.ptx;

import java.util.ArrayList;
import java.util.List;

/**
 * The text of a module without what has no effect: two modules with the same normal form run alike, and any other
 * difference between them shows.
 *
 * <p>Labels, registers, variables, entries and parameters are renamed in the order in which they are mentioned; a
 * register's new name holds its type, which stands for its declaration. Comments and source positions are left out.
 * Everything else stays as it is and where it is: instructions, their order, types, predicates, immediates, directives.
 */
public final class PtxNormalForm {
  private PtxNormalForm() {}

  /** The normal form of a module, as PTX with undeclared registers. */
  public static String of(PtxModule module) {
    var names = NormalNames.ofModule(module);
    var items = new ArrayList<PtxModule.ModuleItem>();
    for (var item : module.items()) {
      switch (item) {
        case PtxModule.SourceFile _ -> { }
        case PtxModule.Alias(String name, String aliasee) -> items.add(new PtxModule.Alias(name, names.of(aliasee)));
        case Variable variable -> items.add(variable(variable, names));
        case Function function -> items.add(function(function, names));
      }
    }
    return PtxPrinter.print(new PtxModule(module.version(), module.targets(), module.addressSize(), items));
  }

  private static Function function(Function f, NormalNames outer) {
    var names = outer.ofFunction(f);
    return new Function(f.linkage(), f.entry(), variables(f.results(), names), names.of(f.name()),
        variables(f.parameters(), names), f.directives(), f.body().map(body -> block(body, names)));
  }

  private static List<Variable> variables(List<Variable> variables, NormalNames names) {
    return variables.stream().map(v -> variable(v, names)).toList();
  }

  private static Variable variable(Variable v, NormalNames names) {
    return new Variable(v.linkage(), v.space(), v.alignment(), v.vector(), v.type(), names.of(v.name()),
        v.dimensions(), operands(v.initializer(), names));
  }

  private static List<Statement> block(List<Statement> body, NormalNames names) {
    return body.stream().filter(PtxNormalForm::hasEffect).map(statement -> statement(statement, names)).toList();
  }

  private static boolean hasEffect(Statement statement) {
    return switch (statement) {
      case Statement.Comment _, Statement.Location _, Statement.Registers _ -> false;
      default -> true;
    };
  }

  private static Statement statement(Statement statement, NormalNames names) {
    return switch (statement) {
      case Statement.Comment _, Statement.Location _, Statement.Registers _, Statement.Pragma _ -> statement;
      case Instruction instruction -> instruction(instruction, names);
      case Variable variable -> variable(variable, names);
      case Statement.Label(String name) -> new Statement.Label(names.of(name));
      case Statement.Block(var body) -> new Statement.Block(block(body, names.ofBlock(body)));
      case Statement.BranchTargets(String name, var labels) ->
          new Statement.BranchTargets(names.of(name), labels.stream().map(names::of).toList());
      case Statement.CallTargets(String name, var functions) ->
          new Statement.CallTargets(names.of(name), functions.stream().map(names::of).toList());
      case Statement.CallPrototype(String name, var results, var parameters, boolean noReturn) ->
          new Statement.CallPrototype(names.of(name), anonymous(results), anonymous(parameters), noReturn);
    };
  }

  /** A prototype's parameters are no one's to mention. */
  private static List<Variable> anonymous(List<Variable> variables) {
    return variables.stream().map(v -> new Variable(v.linkage(), v.space(), v.alignment(), v.vector(), v.type(), "_",
        v.dimensions(), v.initializer())).toList();
  }

  private static Instruction instruction(Instruction i, NormalNames names) {
    var guard = i.guard().map(g -> new Instruction.Guard(names.of(g.predicate()), g.negated()));
    return new Instruction(guard, i.opcode(), i.modifiers(), operands(i.operands(), names), 0);
  }

  private static List<Operand> operands(List<Operand> operands, NormalNames names) {
    return operands.stream().map(operand -> operand(operand, names)).toList();
  }

  private static Operand operand(Operand operand, NormalNames names) {
    return switch (operand) {
      case Operand.Register(String name) -> new Operand.Register(names.of(name));
      case Operand.Symbol symbol -> symbol(symbol, names);
      case Operand.Special _, Operand.Integer _, Operand.Float _, Operand.Sink _ -> operand;
      case Operand.Vector(var elements) -> new Operand.Vector(operands(elements, names));
      case Operand.Address(Operand base, long offset, var coordinates) ->
          new Operand.Address(operand(base, names), offset, operands(coordinates, names));
      case Operand.Offset(Operand.Symbol symbol, long offset) -> new Operand.Offset(symbol(symbol, names), offset);
      case Operand.Masked(long mask, Operand address) -> new Operand.Masked(mask, operand(address, names));
      case Operand.Pair(Operand first, Operand second) ->
          new Operand.Pair(operand(first, names), operand(second, names));
      case Operand.Not(Operand inner) -> new Operand.Not(operand(inner, names));
      case Operand.Negated(Operand inner) -> new Operand.Negated(operand(inner, names));
      case Operand.Group(var elements) -> new Operand.Group(operands(elements, names));
    };
  }

  private static Operand.Symbol symbol(Operand.Symbol symbol, NormalNames names) {
    return new Operand.Symbol(names.of(symbol.name()));
  }
}
