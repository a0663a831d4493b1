package tilewright.ptx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The grammar, construct by construct, against the model written by hand. */
class PtxParserTest {
  private static final String HEAD = ".version 8.0\n.target sm_90a\n.address_size 64\n";

  private static List<Statement> body(String statements) {
    var module = PtxParser.parse(HEAD + ".entry k()\n{\n.reg .b32 r<8>, x; .reg .pred %p<4>;\n" + statements + "\n}");
    var body = module.entry("k").orElseThrow().body().orElseThrow();
    return body.subList(3, body.size());
  }

  private static Operand operand(String text) {
    return ((Instruction) body("mov.u32 " + text + ";").getFirst()).operands().getFirst();
  }

  private static PtxModule.ModuleItem item(String text) {
    return PtxParser.parse(HEAD + text).items().getFirst();
  }

  private static Operand.Register register(String name) {
    return new Operand.Register(name);
  }

  private static Operand.Symbol symbol(String name) {
    return new Operand.Symbol(name);
  }

  private static Operand integer(long value) {
    return new Operand.Integer(value);
  }

  @Test
  void headGivesVersionTargetsAndAddressSize() {
    var module = PtxParser.parse(".version 8.10 .target sm_90a, debug .address_size 64");
    assertEquals(new PtxModule("8.10", List.of("sm_90a", "debug"), 64, List.of()), module);
    assertEquals(32, PtxParser.parse(".version 8.0 .target sm_80").addressSize());
  }

  @Test
  void instructionHasGuardModifiersAndOperands() {
    var expected = new Instruction(Optional.of(new Instruction.Guard("%p1", true)), "ld",
        List.of("global", "L1::no_allocate", "v2", "f32"), List.of(new Operand.Vector(List.of(register("%f1"),
            new Operand.Sink())), new Operand.Address(register("%rd1"), -16)), 0);
    assertEquals(List.of(expected), body("@!%p1 ld.global.L1::no_allocate.v2.f32 {%f1, _}, [%rd1+-16];"));
  }

  @ParameterizedTest
  @CsvSource({"0x10, 16", "0XfF, 255", "017, 15", "0b101, 5", "0, 0", "-12, -12", "4294967295U, 4294967295",
      "0xFFFFFFFFFFFFFFFF, -1", "18446744073709551615, -1", "-9223372036854775808, -9223372036854775808"})
  void integersHaveFourBases(String text, long value) {
    assertEquals(integer(value), operand(text));
  }

  @ParameterizedTest
  @CsvSource({"0f3F800000, F32, 3f800000", "0F7fc00001, F32, 7fc00001", "-0f3F800000, F32, bf800000",
      "0d3FF0000000000000, F64, 3ff0000000000000", "1.5, F64, 3ff8000000000000", "2e-1, F64, 3fc999999999999a",
      "-1E3, F64, c08f400000000000"})
  void floatsKeepTheirBits(String text, PtxType type, String bits) {
    assertEquals(new Operand.Float(type, Long.parseUnsignedLong(bits, 16)), operand(text));
  }

  @ParameterizedTest
  @CsvSource({"%tid.x", "%nctaid", "%laneid", "%clock64", "%cluster_ctarank", "%envreg31", "%pm7", "%pm0_64",
      "%dynamic_smem_size"})
  void predefinedRegistersAreSpecial(String name) {
    assertEquals(new Operand.Special(name), operand(name));
  }

  @ParameterizedTest
  @CsvSource({"%tid0", "%envreg32", "%laneid.x", "%r1", "%tidy", "%pm9"})
  void otherPercentNamesAreRegisters(String name) {
    assertEquals(register(name), operand(name));
  }

  @Test
  void bareNameIsARegisterOnlyIfDeclared() {
    assertEquals(register("r7"), operand("r7"));
    assertEquals(symbol("r8"), operand("r8"));
    assertEquals(symbol("r07"), operand("r07"));
    assertEquals(register("x"), operand("x"));
    assertEquals(register("x.y"), operand("x.y"));
    assertEquals(symbol("y"), operand("y"));
  }

  @Test
  void innerBlockSeesOuterRegistersButNotTheOtherWayRound() {
    var statements = body("{ .reg .b32 y; mov.b32 x, y; } mov.b32 x, y;");
    var inner = ((Statement.Block) statements.getFirst()).body();
    assertEquals(Instruction.of("mov.b32", register("x"), register("y")), inner.get(1));
    assertEquals(Instruction.of("mov.b32", register("x"), symbol("y")), statements.get(1));
  }

  @Test
  void addressesTakeOffsetsAndCoordinates() {
    assertEquals(new Operand.Address(symbol("sym"), 4), operand("[sym+4]"));
    assertEquals(new Operand.Address(symbol("sym"), -4), operand("[sym-4]"));
    assertEquals(new Operand.Address(register("%rd1"), 0), operand("[ %rd1 + 0 ]"));
    assertEquals(new Operand.Address(integer(64), 0), operand("[0x40]"));
    var coordinates = new Operand.Vector(List.of(register("r0"), register("r1")));
    assertEquals(new Operand.Address(symbol("tm"), 0, List.of(coordinates)), operand("[tm, {r0, r1}]"));
  }

  @Test
  void pairsNegationsAndOffsetsAreOperands() {
    assertEquals(new Operand.Pair(new Operand.Sink(), register("%p1")), operand("_|%p1"));
    assertEquals(new Operand.Not(register("%p2")), operand("!%p2"));
    assertEquals(new Operand.Negated(register("%r2")), operand("-%r2"));
    assertEquals(new Operand.Offset(symbol("table"), 8), operand("table+8"));
  }

  @Test
  void callGroupsResultsAndArguments() {
    var call = Instruction.of("call.uni", new Operand.Group(List.of(symbol("retval0"))), symbol("vprintf"),
        new Operand.Group(List.of(symbol("param0"), integer(3))));
    assertEquals(List.of(call), body("call.uni (retval0),\nvprintf,\n(\nparam0,\n3\n);"));
    assertEquals(List.of(Instruction.of("call", symbol("f"), new Operand.Group(List.of()))), body("call f, ();"));
  }

  @Test
  void callsThroughRegistersNameTheirPrototypeOrTheirTargets() {
    var result = Variable.parameter(PtxType.B32, "_");
    var bytes = new Variable(Linkage.LOCAL, StateSpace.PARAM, 8, 1, PtxType.B8, "_", List.of(16L), List.of());
    var call = Instruction.of("call", new Operand.Group(List.of(symbol("r"))), register("%rd1"),
        new Operand.Group(List.of(symbol("a"))), symbol("p"));
    assertEquals(List.of(new Statement.CallPrototype("p", List.of(result), List.of(bytes), false),
        new Statement.CallPrototype("q", List.of(), List.of(), true),
        new Statement.CallTargets("ts", List.of("f", "g")), call),
        body("p : .callprototype (.param .b32 _) _ (.param .align 8 .b8 _[16]);"
            + " q: .callprototype ()_ () .noreturn; ts: .calltargets f, g; call (r), %rd1, (a), p;"));
  }

  @Test
  void bodyHoldsLabelsBranchTargetsPragmasAndLocations() {
    assertEquals(List.of(
        new Statement.Label("$L1"), new Statement.Pragma("nounroll"), new Statement.Pragma("a \"b\" \\c"),
        new Statement.Location(1, 4, 41), new Statement.Location(2, 5, 6),
        new Statement.BranchTargets("ts", List.of("$L1", "L2")),
        Instruction.of("brx.idx", register("r0"), symbol("ts")), new Statement.Label("L2"), Instruction.of("ret")),
        body("$L1: .pragma \"nounroll\", \"a \\\"b\\\" \\\\c\"; .loc 1 4 41"
            + " .loc 2 5 6, function_name $L+3, inlined_at 1 2 3"
            + " ts: .branchtargets $L1, L2; brx.idx r0, ts; L2: ret;"));
  }

  @Test
  void onlyCommentsOnALineOfTheirOwnAreKept() {
    assertEquals(List.of(new Statement.Comment("own"), Instruction.of("ret"), new Statement.Comment(" two"),
        new Statement.Comment(""), new Statement.Location(1, 1, 1), new Statement.Comment("last")),
        body("  // own\r\nret; // beside\n//  two\n//\n/* block\n// in it */ .loc 1 1 1\n//last"));
  }

  @Test
  void registersAreDeclaredInListsRangesAndVectors() {
    assertEquals(List.of(
        new Statement.Registers(PtxType.B64, "%rd", 10), new Statement.Registers(PtxType.B64, "%SP", 0),
        new Statement.Registers(PtxType.F32, 4, "%v", 2)), body(".reg .b64 %rd<10>, %SP; .reg .v4 .f32 %v<2>;"));
  }

  @Test
  void variablesHaveSpaceAlignmentVectorAndExtents() {
    assertEquals(Variable.dynamicShared("smem", 1024), item(".extern .shared .align 1024 .b8 smem[];"));
    assertEquals(new Variable(Linkage.VISIBLE, StateSpace.GLOBAL, 16, 4, PtxType.F32, "v", List.of(2L, 3L), List.of()),
        item(".visible .global .align 16 .v4 .f32 v[2][3];"));
    assertEquals(2, PtxParser.parse(HEAD + ".shared .b32 a, b[4];").items().size());
  }

  @Test
  void attributesAreForTheDriver() {
    assertEquals(item(".global .align 4 .u32 x;"), item(".global .attribute(.managed) .align 4 .u32 x;"));
    assertEquals(item(".global .u32 x;"), item(".global .attribute(.unified(19,95)) .u32 x;"));
  }

  @Test
  void initializersMayBeBytesOfAddresses() {
    var bytes = (Variable) item(".global .b8 x[2] = {0xFF(generic(y)), 0xFF00(z+4)};");
    assertEquals(List.of(new Operand.Masked(0xFF, symbol("generic(y)")),
        new Operand.Masked(0xFF00, new Operand.Offset(new Operand.Symbol("z"), 4))), bytes.initializer());
  }

  @Test
  void initializersAreFlatAndFilledWithZeros() {
    var grid = (Variable) item(".const .u32 g[2][3] = {{1, 2}, {3}};");
    assertEquals(List.of(integer(1), integer(2), integer(0), integer(3), integer(0), integer(0)), grid.initializer());
    var pointers = (Variable) item(".global .u64 p[3] = {f, g+8, generic(h)};");
    assertEquals(List.of(symbol("f"), new Operand.Offset(symbol("g"), 8), symbol("generic(h)")),
        pointers.initializer());
    assertEquals(List.of(integer(-5)), ((Variable) item(".global .s32 x = -5;")).initializer());
  }

  @Test
  void kernelHasParametersAndDirectives() {
    var kernel = (Function) item(".visible .entry k(.param .u64 .ptr .global .align 16 a,"
        + " .param .align 64 .b8 tm[128])\n"
        + ".maxntid 256,1,1 .minnctapersm 2 .explicitcluster .reqnctapercluster 2, 1, 1 { ret; }");
    var map = new Variable(Linkage.LOCAL, StateSpace.PARAM, 64, 1, PtxType.B8, "tm", List.of(128L), List.of());
    assertEquals(List.of(Variable.parameter(PtxType.U64, "a"), map), kernel.parameters());
    assertEquals(Optional.of(List.of(256L, 1L, 1L)), kernel.directive("maxntid"));
    assertEquals(Optional.of(List.of(2L)), kernel.directive("minnctapersm"));
    assertEquals(Optional.of(List.of()), kernel.directive("explicitcluster"));
  }

  @Test
  void deviceFunctionHasResultsAndMayHaveNoBody() {
    var declared = (Function) item(".extern .func (.param .b32 r) f(.param .b64 a) .noreturn;");
    assertEquals(new Function(Linkage.EXTERN, false, List.of(Variable.parameter(PtxType.B32, "r")), "f",
        List.of(Variable.parameter(PtxType.B64, "a")), List.of(new Function.Directive("noreturn", List.of())),
        Optional.empty()), declared);
    var inRegisters = (Function) item(".func (.reg .b32 out) g(.reg .b32 in) { mov.b32 out, in; ret; }");
    var move = Instruction.of("mov.b32", register("out"), register("in"));
    assertEquals(List.of(move, Instruction.of("ret")), inRegisters.body().orElseThrow());
  }

  @Test
  void sourceFilesAreKeptAndDebugSectionsSkipped() {
    var items = PtxParser.parse(HEAD
        + ".file 1 \"a.cu\", 1700000000, 12\n.section .debug_info { .b8 1, 2\nL: .b64 L }\n").items();
    assertEquals(List.of(new PtxModule.SourceFile(1, "a.cu")), items);
  }

  @Test
  void everyTypeCanBeDeclared() {
    for (var type : PtxType.values()) {
      assertTrue(body(".reg ." + type.text() + " %q;").contains(new Statement.Registers(type, "%q", 0)), type::text);
    }
  }
}
