package tilewright.ptx;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class PtxPrinterTest {
  @Test
  void moduleIsPrintedForReading() {
    var r0 = new Operand.Register("%r0");
    var p0 = new Operand.Register("%p0");
    var body = List.<Statement>of(new Statement.Registers(PtxType.B32, "%r", 2),
        new Statement.Registers(PtxType.PRED, "%p0", 0),
        new Statement.Comment("first element"), new Statement.Label("LOOP"),
        Instruction.of("ld.shared.b32", r0, new Operand.Address(new Operand.Symbol("smem"), -4)),
        new Statement.Block(List.of(new Statement.Label("IN"), Instruction.of("add.f32", r0, Operand.Float.of(-0.0f),
            Operand.Float.of(1.5)))),
        Instruction.of("bra", new Operand.Symbol("LOOP")).guardedBy(new Instruction.Guard("%p0", false)),
        Instruction.of("elect.sync", new Operand.Pair(new Operand.Sink(), p0), new Operand.Integer(-1)),
        Instruction.of("ret"));
    var kernel = new Function(Linkage.VISIBLE, true, List.of(), "k", List.of(Variable.parameter(PtxType.U64, "a"),
        Variable.parameter(PtxType.U32, "n")), List.of(new Function.Directive("maxntid", List.of(256L, 1L, 1L))),
        Optional.of(body));
    var table = new Variable(Linkage.LOCAL, StateSpace.CONST, 0, 1, PtxType.U32, "t", List.of(2L),
        List.of(new Operand.Integer(7), new Operand.Offset(new Operand.Symbol("k"), 4)));
    var module = new PtxModule("8.0", List.of("sm_90a", "debug"), 64,
        List.of(new PtxModule.SourceFile(1, "K.java"), Variable.dynamicShared("smem", 16), table, kernel));
    assertEquals("""
        .version 8.0
        .target sm_90a, debug
        .address_size 64

        .file 1 "K.java"
        .extern .shared .align 16 .b8 smem[];
        .const .u32 t[2] = {7, k+4};

        .visible .entry k(
          .param .u64 a,
          .param .u32 n
        )
        .maxntid 256, 1, 1
        {
          .reg .b32 %r<2>;
          .reg .pred %p0;
          // first element
        LOOP:
          ld.shared.b32 %r0, [smem+-4];
          {
          IN:
            add.f32 %r0, 0f80000000, 0d3FF8000000000000;
          }
          @%p0 bra LOOP;
          elect.sync _|%p0, -1;
          ret;
        }
        """, PtxPrinter.print(module));
  }

  @Test
  void oneStatementIsPrintedWithoutIndentation() {
    assertEquals("bar.sync 0;", PtxPrinter.print(Instruction.of("bar.sync", new Operand.Integer(0))));
  }
}
