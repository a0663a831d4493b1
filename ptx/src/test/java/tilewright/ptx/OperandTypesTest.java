package tilewright.ptx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The answers of ptxas 13.0 to one operand of each kind, in each place: {@code @} stands for it. */
class OperandTypesTest {
  private static final List<String> ALL = List.of("pred", "b8", "u8", "s8", "b16", "u16", "s16", "f16", "b32", "u32",
      "s32", "f32", "b64", "u64", "s64", "f64", "b128", "1", "1.5", "0f3F800000", "0d3FF0000000000000");

  private static Instruction parsed(String text) {
    var module = PtxParser.parse(".version 9.0\n.target sm_100a\n.address_size 64\n.entry k()\n{\n" + text + "\n}\n");
    return (Instruction) module.functions().getFirst().body().orElseThrow().getFirst();
  }

  private static Optional<String> violation(String text) {
    return OperandTypes.violation(parsed(text),
        name -> name.startsWith("%_") ? PtxType.parse(name.substring(2)) : Optional.empty());
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', textBlock = """
      add.u32 %_b32, @, 1; | b32 u32 s32 1
      add.f32 %_f32, @, %_f32; | b32 f32 1.5 0f3F800000 0d3FF0000000000000
      add.f64 %_f64, @, %_f64; | b64 f64 1.5 0f3F800000 0d3FF0000000000000
      add.f16 %_b16, @, %_b16; | b16 f16
      add.s16 %_b16, @, 1; | b16 u16 s16 1
      add.u32 @, 1, 2; | b32 u32 s32
      and.b32 %_b32, @, 1; | b32 u32 s32 f32 1 0f3F800000
      and.pred %_pred, @, %_pred; | pred 1
      mov.b32 %_b32, @; | b32 u32 s32 f32 1 0f3F800000
      mov.u32 %_b32, @; | b32 u32 s32 1
      mov.f32 %_f32, @; | b32 f32 1.5 0f3F800000 0d3FF0000000000000
      mov.b64 %_b64, @; | b64 u64 s64 f64 1 1.5 0d3FF0000000000000
      mov.pred %_pred, @; | pred 1
      selp.b32 %_b32, 1, 1, @; | pred 1
      selp.f32 %_f32, @, %_f32, %_pred; | b32 f32 1.5 0f3F800000 0d3FF0000000000000
      setp.eq.s32 @, 1, 1; | pred
      setp.eq.f32 %_pred, @, %_f32; | b32 f32 1.5 0f3F800000 0d3FF0000000000000
      shl.b32 %_b32, 1, @; | b32 u32 s32 1
      st.global.u32 [%_b64], @; | b32 u32 s32 b64 u64 s64 b128 1
      st.global.f32 [%_b64], @; | b32 f32 b64 b128 1.5 0f3F800000 0d3FF0000000000000
      ld.global.u8 @, [%_b64]; | b8 u8 s8 b16 u16 s16 b32 u32 s32 b64 u64 s64 b128
      ld.global.b64 @, [%_b64]; | b64 u64 s64 f64 b128
      cvt.u16.u32 @, %_b32; | b16 u16 s16 b32 u32 s32 b64 u64 s64 b128
      cvt.rn.f32.s32 @, %_b32; | b32 f32 b64 b128
      cvt.rn.f32.s32 %_f32, @; | b32 u32 s32 b64 u64 s64 b128 1
      atom.global.add.f32 %_f32, [%_b64], @; | b32 f32 1.5 0f3F800000 0d3FF0000000000000
      mul.wide.u32 @, 1, 2; | b64 u64 s64
      """)
  void isWhatPtxasSays(String text, String accepted) {
    var suits = new ArrayList<String>();
    for (var operand : ALL) {
      boolean register = PtxType.parse(operand).isPresent();
      if (violation(text.replace("@", register ? "%_" + operand : operand)).isEmpty()) suits.add(operand);
    }
    assertEquals(List.of(accepted.split(" ")), suits);
  }

  @ParameterizedTest
  @CsvSource(delimiter = '~', textBlock = """
      mul.rn.f32 %_f32, %_f32, %ctaid.z; ~ operand 3, %ctaid.z, is of type u32, but f32 is needed
      mov.u32 %_u32, %clock64; ~ operand 2, %clock64, is of type u64, but u32 is needed
      mov.u32 %_u32, %tid; ~ operand 2, %tid, is a vector, but one element of it is needed
      ld.global.u32 %_u32, %_b64; ~ operand 2, %_b64, is no address in brackets
      ld.global.v2.f32 {%_f32, %_u32}, [%_b64]; ~ operand 1, {%_f32, %_u32}, is of type u32, but f32 is needed
      add.f32 1.5, %_f32, %_f32; ~ operand 1, 0d3FF8000000000000, is no register, but takes the result
      add.f32 %_f32, symbol, %_f32; ~ operand 2, symbol, is an address, but f32 is needed
      add.f32 %_f32, %_f32; ~ it has 2 operands, but takes 3
      shfl.sync.idx.b32 %_b32|%_b32, %_b32, 0, 31, -1; ~ operand 1, %_b32|%_b32, is of type b32, but pred is needed
      """)
  void saysWhichOperandIsWrongAndWhatIsNeeded(String text, String message) {
    assertEquals(Optional.of(message), violation(text));
  }

  @Test
  void registersThatNothingDeclaresAreLeftToOthers() {
    assertEquals(Optional.empty(), violation("add.f32 %x, %y, %z;"));
  }

  /** Refused by ptxas 13.0 too: "Unexpected instruction types specified". */
  @ParameterizedTest
  @CsvSource({"and", "or", "xor"})
  void logicOperationsHaveNoNumbers(String opcode) {
    assertEquals(Optional.of("its type is f32, but it takes bits (b16, b32, b64) or predicates"),
        violation(opcode + ".f32 %_f32, %_f32, %_f32;"));
    assertEquals(Optional.of("its type is u32, but it takes bits (b16, b32, b64) or predicates"),
        violation(opcode + ".u32 %_u32, %_u32, %_u32;"));
    assertEquals(Optional.empty(), violation(opcode + ".b32 %_f32, %_f32, %_f32;"));
  }

  /** The oracle is ptxas 13.0, which refuses each of them. */
  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {"rem.f32 %_f32, %_f32, %_f32|integers", "addc.f64 %_f64, %_f64, %_f64|integers",
      "add.cc.f32 %_f32, %_f32, %_f32|integers", "sub.cc.f32 %_f32, %_f32, %_f32|integers",
      "subc.f32 %_f32, %_f32, %_f32|integers", "mad.lo.cc.f32 %_f32, %_f32, %_f32, %_f32|integers",
      "madc.hi.f32 %_f32, %_f32, %_f32, %_f32|integers", "mul24.lo.f32 %_f32, %_f32, %_f32|integers",
      "mad24.lo.f32 %_f32, %_f32, %_f32, %_f32|integers", "sad.f32 %_f32, %_f32, %_f32, %_f32|integers",
      "shr.f32 %_f32, %_f32, %_u32|integers", "bfe.f32 %_f32, %_f32, %_u32, %_u32|integers",
      "bfind.f32 %_u32, %_f32|integers", "szext.wrap.f32 %_f32, %_f32, %_u32|integers",
      "bfi.f32 %_f32, %_f32, %_f32, %_u32, %_u32|bits", "popc.f32 %_u32, %_f32|bits", "clz.f64 %_u32, %_f64|bits",
      "brev.f32 %_f32, %_f32|bits", "prmt.f32.rc8 %_f32, %_f32, %_f32, %_f32|bits",
      "bmsk.wrap.f32 %_f32, %_f32, %_f32|bits", "fns.f32 %_f32, %_f32, %_f32, %_f32|bits",
      "testp.finite.b32 %_pred, %_f32|f32 or f64"})
  void aTypeThatAnInstructionHasNoFormForIsRefused(String instruction, String taken) {
    var reason = violation(instruction + ";").orElse("accepted");
    assertTrue(reason.startsWith("its type is ") && reason.contains("but it takes " + taken), reason);
  }
}
