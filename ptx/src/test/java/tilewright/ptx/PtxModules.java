package tilewright.ptx;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;

/** Random modules with every kind of item, statement and operand; every bare register name is declared. */
final class PtxModules {
  private static final Statement.Registers RANGE = new Statement.Registers(PtxType.B32, "bare", 5);
  private static final Statement.Registers SINGLE = new Statement.Registers(PtxType.F32, 4, "vec", 0);

  private PtxModules() {}

  static Arbitrary<PtxModule> modules() {
    var versions = Arbitraries.of("7.0", "8.0", "8.10", "9.0");
    var targets = Arbitraries.of("sm_80", "sm_90a", "sm_100f", "debug").list().ofMinSize(1).ofMaxSize(3);
    Arbitrary<PtxModule.ModuleItem> item = Arbitraries.oneOf(functions(), variables(),
        Combinators.combine(symbols(), symbols()).as(PtxModule.Alias::new),
        Combinators.combine(Arbitraries.integers().between(0, 9), texts()).as(PtxModule.SourceFile::new));
    return Combinators.combine(versions, targets, Arbitraries.of(32, 64), item.list().ofMaxSize(4)).as(PtxModule::new);
  }

  private static Arbitrary<List<Variable>> prototyped() {
    return types().map(type -> Variable.parameter(type, "_")).list().ofMaxSize(2);
  }

  private static Arbitrary<Function> functions() {
    var linkage = Arbitraries.of(Linkage.class);
    var parameter = Combinators.combine(types(), symbols()).as(Variable::parameter);
    var directive = Combinators.combine(Arbitraries.of("maxntid", "noreturn", "minnctapersm", "explicitcluster"),
        Arbitraries.longs().between(0, 1024).list().ofMaxSize(3)).as(Function.Directive::new);
    var body = statements(2).map(statements -> {
      var all = new ArrayList<Statement>(List.of(RANGE, SINGLE));
      all.addAll(statements);
      return (List<Statement>) all;
    }).optional();
    return Arbitraries.of(true, false).flatMap(entry -> {
      var results = parameter.list().ofMaxSize(entry ? 0 : 2);
      return Combinators.combine(linkage, results, symbols(), parameter.list().ofMaxSize(3),
          directive.list().ofMaxSize(2), body).as((l, r, name, parameters, directives, b) ->
              new Function(l, entry, r, name, parameters, directives, b));
    });
  }

  private static Arbitrary<Variable> variables() {
    var space = Arbitraries.of(StateSpace.class).filter(s -> s != StateSpace.REG);
    var shape = Arbitraries.of(List.of(0L), List.of(3L), List.of(0L, 2L), List.of(2L, 3L, 1L));
    var alignment = Arbitraries.of(0, 1, 16, 1024);
    var vector = Arbitraries.of(1, 2, 4);
    var values = constants().list().ofMaxSize(4);
    var array = Combinators.combine(space, alignment, vector, types(), symbols(), shape, values)
        .as((s, bytes, v, type, name, extents, initial) ->
            new Variable(Linkage.LOCAL, s, bytes, v, type, name, extents, initial));
    var linkage = Arbitraries.of(Linkage.class);
    var scalar = Combinators.combine(linkage, space, types(), symbols(), constants().list().ofMaxSize(2))
        .as((l, s, type, name, value) -> new Variable(l, s, 0, 1, type, name, List.of(), value));
    return Arbitraries.oneOf(array, scalar);
  }

  private static Arbitrary<List<Statement>> statements(int depth) {
    var registers = Combinators.combine(types(), Arbitraries.of(1, 2, 4), names("%"), Arbitraries.of(0, 1, 300))
        .as(Statement.Registers::new);
    var local = variables().filter(v -> v.linkage() == Linkage.LOCAL);
    var numbers = Arbitraries.integers().between(0, 9999);
    var statement = Arbitraries.<Statement>oneOf(instructions(), instructions(), instructions(), local, registers,
        symbols().map(Statement.Label::new), Combinators.combine(numbers, numbers, numbers).as(Statement.Location::new),
        texts().map(Statement.Comment::new), texts().map(Statement.Pragma::new),
        Combinators.combine(symbols(), symbols().list().ofMinSize(1).ofMaxSize(3)).as(Statement.BranchTargets::new),
        Combinators.combine(symbols(), symbols().list().ofMinSize(1).ofMaxSize(3)).as(Statement.CallTargets::new),
        Combinators.combine(symbols(), prototyped(), prototyped(), Arbitraries.of(true, false))
            .as(Statement.CallPrototype::new),
        depth == 0 ? instructions() : Arbitraries.lazy(() -> statements(depth - 1).map(Statement.Block::new)));
    return statement.list().ofMaxSize(6);
  }

  private static Arbitrary<Instruction> instructions() {
    Arbitrary<Optional<Instruction.Guard>> guard =
        Combinators.combine(predicateNames(), Arbitraries.of(true, false)).as(Instruction.Guard::new).optional(0.2);
    var opcode = Arbitraries.of("mov", "ld", "mma", "tcgen05", "cp", "xyz_1");
    var modifiers = Arbitraries.of("global", "v4", "f32", "shared::cluster", "L1::no_allocate", "2d", "m16n8k16").list()
        .ofMaxSize(4);
    return Combinators.combine(guard, opcode, modifiers, operands(2).list().ofMaxSize(4), Arbitraries.integers())
        .as(Instruction::new);
  }

  private static Arbitrary<Operand> operands(int depth) {
    var register = registerNames().map(Operand.Register::new);
    var special = Arbitraries.of("%tid.x", "%laneid", "%clock64", "%envreg7").map(Operand.Special::new);
    var simple = Arbitraries.<Operand>oneOf(register, register, special, symbols().map(Operand.Symbol::new), numbers(),
        offsets(), Arbitraries.just(new Operand.Sink()));
    if (depth == 0) return simple;
    var inner = Arbitraries.lazy(() -> operands(depth - 1));
    var unpaired = inner.filter(o -> !(o instanceof Operand.Pair));
    var base = Arbitraries.<Operand>oneOf(register, symbols().map(Operand.Symbol::new), integers());
    return Arbitraries.oneOf(simple, simple,
        inner.list().ofMinSize(1).ofMaxSize(4).map(Operand.Vector::new),
        inner.list().ofMaxSize(3).map(Operand.Group::new),
        unpaired.map(Operand.Not::new),
        Combinators.combine(unpaired, unpaired).as(Operand.Pair::new),
        Combinators.combine(base, longs(), inner.list().ofMaxSize(2)).as(Operand.Address::new));
  }

  private static Arbitrary<Operand> constants() {
    return Arbitraries.oneOf(numbers(), symbols().map(Operand.Symbol::new), offsets(),
        symbols().map(name -> new Operand.Symbol("generic(" + name + ")")),
        Combinators.combine(Arbitraries.of(0xFFL, 0xFF00L, 0xFF00_0000_0000_0000L), symbols())
            .as((mask, name) -> new Operand.Masked(mask, new Operand.Symbol(name))));
  }

  private static Arbitrary<Operand> offsets() {
    return Combinators.combine(symbols().map(Operand.Symbol::new), longs()).as(Operand.Offset::new);
  }

  private static Arbitrary<Operand> numbers() {
    return Arbitraries.oneOf(integers(), longs().map(bits -> new Operand.Float(PtxType.F32, bits & 0xFFFFFFFFL)),
        longs().map(bits -> new Operand.Float(PtxType.F64, bits)));
  }

  private static Arbitrary<Operand> integers() {
    return longs().map(Operand.Integer::new);
  }

  private static Arbitrary<Long> longs() {
    return Arbitraries.oneOf(Arbitraries.longs(), Arbitraries.of(0L, -1L, Long.MIN_VALUE, Long.MAX_VALUE, 0xFFFFFFFFL));
  }

  private static Arbitrary<PtxType> types() {
    return Arbitraries.of(PtxType.class);
  }

  private static Arbitrary<String> registerNames() {
    return Arbitraries.oneOf(predicateNames(), Arbitraries.of("vec.x", "%v1.w"));
  }

  private static Arbitrary<String> predicateNames() {
    return Arbitraries.oneOf(names("%r"), names("%_"), Arbitraries.of("bare0", "bare4", "vec"));
  }

  private static Arbitrary<String> symbols() {
    return Arbitraries.oneOf(names("S"), names("_"), names("$L"));
  }

  private static Arbitrary<String> names(String prefix) {
    return Arbitraries.strings().withChars("abzAZ019_$").ofMinLength(1).ofMaxLength(6).map(rest -> prefix + rest);
  }

  private static Arbitrary<String> texts() {
    return Arbitraries.strings().withCharRange(' ', '~').withChars("\t\"\\/*é").ofMaxLength(12);
  }
}
