package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tilewright.kernel.CompiledKernel;
import tilewright.kernel.Kernel;
import tilewright.kernel.LaunchArguments;
import tilewright.kernel.Pair;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.Scope;
import tilewright.kernel.Target;
import tilewright.kernel.TensorSpec;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;
import tilewright.ptx.Dim3;
import tilewright.reference.TensorView;
import tilewright.verification.backend.SimulatorBackend;
import tilewright.verification.cases.Buffers;

/** Integers of 4 bits in a kernel: every byte becomes the two numbers that the CPU reads in it. */
class FourBitsTest {
  private static final int BYTES = 256;

  @ParameterizedTest
  @EnumSource(names = {"F16", "BF16"})
  void everyByteIsTwoIntegers(ElementType type) {
    var bytes = Buffers.zeros(ElementType.I8, BYTES);
    var packed = new TensorView(ElementType.I4, bytes, Layout.of(2 * BYTES, 1));
    for (int i = 0; i < BYTES; i++) {
      packed.setBits(2 * i, i & 0xF);
      packed.setBits(2 * i + 1, i >> 4);
    }
    var buffers = Map.of("X", bytes, "Y", Buffers.poisoned(type, 2 * BYTES));
    var outcome = new SimulatorBackend(1).run(launch(type).on(buffers));
    assertEquals(List.of(), outcome.findings());
    var numbers = new TensorView(type, buffers.get("Y"), Layout.of(2 * BYTES, 1));
    for (int i = 0; i < 2 * BYTES; i++) assertEquals(packed.value(i), numbers.value(i), "element " + i);
  }

  private static PreparedLaunch launch(ElementType type) {
    var kernel = CompiledKernel.compile(new Unpacking(type), Target.SM80);
    var arguments = LaunchArguments.of(kernel)
        .tensor("X", new LaunchArguments.Tensor("X", 0, List.of((long) BYTES), List.of(1L)))
        .tensor("Y", new LaunchArguments.Tensor("Y", 0, List.of((long) BYTES, 2L), List.of(2L, 1L)));
    return new PreparedLaunch(kernel, Dim3.of(1), arguments.build());
  }

  private record Unpacking(ElementType type) implements Kernel {
    @Override
    public String name() {
      return "unpacking";
    }

    @Override
    public void trace(Scope k) {
      var thread = k.block(BYTES);
      var x = k.global(TensorSpec.of("X", ElementType.I8, "N"));
      var y = k.global(TensorSpec.of("Y", type, "N", "TWO").contiguous("TWO").aligned(2));
      y.at(thread, k.constant(0)).store(Pair.join(List.of(x.at(thread).vector(1).fourBits(type))));
    }
  }
}
