package tilewright.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import tilewright.numerics.ElementType;
import tilewright.ptx.Launch;

class LaunchArgumentsTest {
  private static final TensorSpec X = TensorSpec.of("X", ElementType.BF16, "M", "K").contiguous("K");
  private static final CompiledKernel KERNEL =
      made(X.aligned(8), TensorSpec.of("Y", ElementType.BF16, "M", "K").multipleOf("M", 2));

  /** A kernel that does nothing with such tensors. */
  private static CompiledKernel made(TensorSpec... tensors) {
    return CompiledKernel.compile(new Kernel() {
      @Override
      public String name() {
        return "k";
      }

      @Override
      public void trace(Scope k) {
        k.block(32);
        for (var tensor : tensors) k.global(tensor);
      }
    }, Target.SM80);
  }

  @Test
  void valuesComeInTheKernelsOrder() {
    var arguments = arguments(16, 24, 24, 1, 0).build();
    assertEquals(List.of(new Launch.Argument.Buffer("x", 0), Launch.Argument.u32(16)), arguments.subList(0, 2));
    assertEquals(KERNEL.parameters().size(), arguments.size());
  }

  @Test
  void aStrideThatIsNotAlignedIsRefusedByName() {
    assertRefused(arguments(16, 20, 20, 1, 0), "stride of M is 20");
  }

  @Test
  void theStridesOfATensorWithoutElementsDoNotMatter() {
    arguments(16, 0, 1, 0, 0).build();
    assertRefused(arguments(16, 0, 1, 0, 2), "offset 2 bytes");
  }

  @Test
  void aContiguousModeWithAnotherStrideIsRefused() {
    assertRefused(arguments(16, 24, 24, 16, 0), "stride of K is 16");
  }

  @Test
  void anOffsetThatIsNotAlignedIsRefused() {
    assertRefused(arguments(16, 24, 24, 1, 2), "offset 2 bytes");
  }

  @Test
  void anExtentThatIsNotAMultipleIsRefused() {
    assertRefused(arguments(15, 24, 24, 1, 0), "M = 15 is not a multiple of 2");
  }

  @Test
  void aStrideOtherThanTheOneTheKernelWasMadeForIsRefused() {
    var made = made(X.stride("M", 24));
    LaunchArguments.of(made).tensor("X", new LaunchArguments.Tensor("x", 0, List.of(2L, 8L), List.of(24L, 1L))).build();
    assertRefused(LaunchArguments.of(made).tensor("X",
        new LaunchArguments.Tensor("x", 0, List.of(2L, 8L), List.of(8L, 1L))), "stride of M is 8");
  }

  @Test
  void anExtentOtherThanTheOneTheKernelWasMadeForIsRefused() {
    var made = made(X.fixed("K", 24));
    var x = LaunchArguments.of(made);
    assertEquals(Launch.Argument.u32(24), x.tensor("X",
        new LaunchArguments.Tensor("x", 0, List.of(5L, 24L), List.of(24L, 1L))).build().getLast());
    assertRefused(x.tensor("X", new LaunchArguments.Tensor("x", 0, List.of(5L, 32L), List.of(32L, 1L))),
        "K = 32, but this kernel was made for 24");
  }

  @Test
  void extentsThatDisagreeAreRefused() {
    var arguments = arguments(16, 24, 24, 1, 0)
        .tensor("Y", new LaunchArguments.Tensor("y", 0, List.of(16L, 32L), List.of(32L, 1L)));
    assertRefused(arguments, "another tensor has 24");
  }

  @Test
  void aMissingTensorIsNamed() {
    assertRefused(LaunchArguments.of(KERNEL), "needs tensor X");
  }

  private static LaunchArguments arguments(long m, long k, long strideM, long strideK, long offset) {
    return LaunchArguments.of(KERNEL)
        .tensor("X", new LaunchArguments.Tensor("x", offset, List.of(m, k), List.of(strideM, strideK)))
        .tensor("Y", new LaunchArguments.Tensor("y", 0, List.of(m, k), List.of(k, 1L)));
  }

  private static void assertRefused(LaunchArguments arguments, String part) {
    var e = assertThrows(IllegalArgumentException.class, arguments::build);
    assertTrue(e.getMessage().contains(part), e.getMessage());
  }
}
