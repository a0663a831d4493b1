package tilewright.simulator.compiler;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.attribute.CodeAttribute;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import tilewright.ptx.PtxParser;
import tilewright.simulator.Engine;
import tilewright.simulator.compiler.module.ModuleData;

/** HotSpot leaves methods of more than 8000 bytecodes to the interpreter: none may be that large. */
class CodeSizeTest {
  private static final int HUGE_METHOD_LIMIT = 8000;

  private static ClassModel generated(String ptx) {
    var module = PtxParser.parse(ptx);
    var compilation = new Compilation(module, new ModuleData(module, 1), module.functions().getLast(), Engine.Code.FAST,
        () -> {});
    var bytes = compilation.code();
    assertEquals(List.of(), compilation.problems());
    return ClassFile.of().parse(bytes.orElseThrow().getFirst());
  }

  private static int largest(ClassModel model) {
    return model.methods().stream().flatMap(m -> m.code().stream()).mapToInt(c -> ((CodeAttribute) c).codeLength())
        .max().orElseThrow();
  }

  private static String module(String body) {
    return """
        .version 8.0
        .target sm_80
        .address_size 64
        .visible .entry k(.param .u64 out)
        {
          .reg .b32 %%r<2000>; .reg .b64 %%l<9>; .reg .f32 %%f<2000>; .reg .pred %%p<2000>;
          ld.param.u64 %%l0, [out];
        %s
          ret;
        }
        """.formatted(body);
  }

  @Test
  void aTensorCoreMainLoopIsCutIntoSmallMethods() throws IOException {
    try (var in = CodeSizeTest.class.getResourceAsStream("/tilewright/simulator/gemm.ptx")) {
      assertTrue(largest(generated(new String(in.readAllBytes(), StandardCharsets.UTF_8))) < HUGE_METHOD_LIMIT);
    }
  }

  @Test
  void longStraightLineCodeIsCutIntoSmallMethods() {
    var arithmetic = IntStream.range(1, 1900)
        .mapToObj(i -> "setp.lt.s32 %p" + i + ", %r" + (i - 1) + ", " + i + ";\n@%p" + i
        + " fma.rn.f32 %f" + i + ", %f" + (i - 1) + ", %f" + i / 2 + ", %f" + i / 3 + ";\nmad.lo.s32 %r" + i + ", %r"
            + (i - 1)
        + ", %r" + i / 2 + ", %r" + i / 3 + ";\n").collect(Collectors.joining());
    assertTrue(largest(generated(module(arithmetic
        + "st.global.f32 [%l0], %f1899;\nst.global.u32 [%l0], %r1899;\n"))) < HUGE_METHOD_LIMIT);
  }

  @Test
  void manyBlocksAreDispatchedBySmallMethods() {
    var branches = IntStream.range(1, 1500).mapToObj(i -> "setp.lt.s32 %p1, %r0, " + i + ";\n@%p1 bra L" + i
        + ";\nadd.s32 %r0, %r0, 1;\nL" + i + ":\n").collect(Collectors.joining());
    assertTrue(largest(generated(module("mov.u32 %r0, %tid.x;\n" + branches
        + "st.global.u32 [%l0], %r0;\n"))) < HUGE_METHOD_LIMIT);
  }
}
