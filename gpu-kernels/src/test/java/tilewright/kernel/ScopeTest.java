package tilewright.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;

class ScopeTest {

  @Test
  void aValueComputedTwiceIsEmittedOnce() {
    var ptx = trace(k -> {
      var thread = k.block(64);
      var z = k.global(TensorSpec.of("Z", ElementType.F32, "N").contiguous("N"));
      z.at(thread.dividedBy(8)).store(k.constant(1f));
      z.at(thread.dividedBy(8)).store(k.constant(2f));
    });
    assertEquals(1, count(ptx, "shr.u32"));
  }

  @Test
  void whatNobodyUsesIsNotEmitted() {
    var ptx = trace(k -> k.block(64).dividedBy(8));
    assertFalse(ptx.contains("shr"));
    assertFalse(ptx.contains("%tid"));
  }

  @Test
  void lastingReadsNameOnePolicyMadeBeforeBranchesAndWritesNone() {
    var ptx = trace(k -> {
      var thread = k.block(64);
      var x = k.global(TensorSpec.of("X", ElementType.F32, "N").contiguous("N").lastingReads());
      k.when(thread.lessThan(k.gridX()), () -> {
        x.at(thread).load();
        x.at(thread.plus(64)).load();
        x.at(thread).store(k.constant(1f));
      });
    });
    assertEquals(1, count(ptx, "createpolicy"));
    assertTrue(ptx.indexOf("createpolicy") < ptx.indexOf("@"), ptx);
    assertEquals(2, count(ptx, "ld.global.L1::no_allocate.L2::cache_hint.f32"));
    assertEquals(1, count(ptx, "st.global.f32"));
  }

  @Test
  void whatTheLoopDoesNotChangeIsComputedBeforeIt() {
    var ptx = trace(k -> {
      var thread = k.block(64);
      var z = k.global(TensorSpec.of("Z", ElementType.F32, "M", "N"));
      k.loop(z.extent(1), n -> z.at(thread.dividedBy(8), n).store(k.constant(1f)));
    });
    assertTrue(ptx.indexOf("shr.u32") < ptx.indexOf("$loop"));
    assertFalse(loop(ptx).contains("mul"), "the loop only advances a pointer");
    assertEquals(1, count(loop(ptx), "add.s64"));
  }

  @Test
  void aBranchMayComputeAnewWhatTheLaunchDecides() {
    var ptx = trace(k -> {
      var thread = k.block(64);
      var z = k.global(TensorSpec.of("Z", ElementType.F32, "M", "N"));
      var row = thread.dividedBy(8);
      z.at(row, k.constant(1)).store(k.constant(1f));
      k.when(thread.equalTo(0), () -> {
        k.computeLaunchValuesAnew();
        k.loop(z.extent(1), n -> z.at(row, n).store(k.constant(2f)));
      });
    });
    int anew = ptx.lastIndexOf("[Z_stride_N]");
    assertEquals(2, count(ptx, "[Z_stride_N]"), "the branch has a register of its own");
    assertTrue(ptx.indexOf("bra $endif") < anew && anew < ptx.indexOf("$loop"), ptx);
    assertEquals(1, count(ptx, "[Z_stride_M]"), "a thread's address stays in its register");
  }

  @Test
  void aKnownStrideGoesIntoTheOffsetsOfOnePointer() {
    var ptx = trace(k -> {
      var thread = k.block(64);
      var z = k.global(TensorSpec.of("Z", ElementType.F32, "M", "N").contiguous("N").stride("M", 100));
      for (int row = 0; row < 3; row++) z.at(thread.plus(row), k.constant(7)).store(k.constant(1f));
    });
    assertEquals(1, count(ptx, "mad.wide.s32"));
    for (int row = 0; row < 3; row++) assertEquals(1, count(ptx, "+" + (400 * row + 28) + "]"), ptx);
  }

  @Test
  void aVariablesOldValueCannotBeUsedAfterItChanged() {
    var e = assertThrows(TraceException.class, () -> trace(k -> {
      var thread = k.block(64);
      var z = k.global(TensorSpec.of("Z", ElementType.F32, "N"));
      var variable = k.variable(thread, 63);
      var old = variable.value().plus(1);
      variable.set(k.constant(0));
      z.at(old).store(k.constant(1f));
    }));
    assertTrue(e.getMessage().contains("read it again"), e.getMessage());
  }

  @Test
  void aValueOfALoopCannotBeUsedBehindIt() {
    assertThrows(TraceException.class, () -> trace(k -> {
      k.block(64);
      var z = k.global(TensorSpec.of("Z", ElementType.F32, "N"));
      var escaped = new F32[1];
      k.loop(z.extent(0), i -> escaped[0] = z.at(i).load());
      z.at(k.constant(0)).store(escaped[0]);
    }));
  }

  @Test
  void aVectorAccessThatMayBeMisalignedFailsTheTrace() {
    var e = assertThrows(TraceException.class, () -> trace(k -> {
      var thread = k.block(64);
      var z = k.global(TensorSpec.of("Z", ElementType.F32, "N").contiguous("N").aligned(4));
      z.at(thread.times(2)).load(4);
    }));
    assertTrue(e.getMessage().contains("aligned to 4"), e.getMessage());
  }

  @Test
  void aPartitionThatLeavesElementsOutFailsTheTrace() {
    var e = assertThrows(TraceException.class, () -> Partition.exact(Layout.parse("(32,2):(1,64)"), 128));
    assertTrue(e.getMessage().contains("leaves out element 32"), e.getMessage());
  }

  @Test
  void aPartitionThatGivesAnElementTwiceFailsTheTrace() {
    var e = assertThrows(TraceException.class, () -> Partition.exact(Layout.parse("(32,2):(1,16)"), 64));
    assertTrue(e.getMessage().contains("twice"), e.getMessage());
  }

  @Test
  void aKernelWithoutABlockIsRefused() {
    var e = assertThrows(TraceException.class, () -> trace(_ -> {}));
    assertTrue(e.getMessage().contains("block"), e.getMessage());
  }

  private static String trace(Consumer<Scope> body) {
    return CompiledKernel.compile(new Kernel() {
      @Override
      public String name() {
        return "test";
      }

      @Override
      public void trace(Scope k) {
        body.accept(k);
      }
    }, Target.SM80).ptx();
  }

  static String loop(String ptx) {
    int begin = ptx.indexOf("$loop");
    return ptx.substring(begin, ptx.indexOf("bra $loop", begin));
  }

  static long count(String text, String word) {
    return text.lines().filter(line -> line.contains(word)).count();
  }
}
