package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import tilewright.kernel.CompiledKernel;
import tilewright.kernel.Element;
import tilewright.kernel.I32;
import tilewright.kernel.Kernel;
import tilewright.kernel.LaunchArguments;
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

/** A kernel that a test writes as a lambda, on vectors, run in the simulator under the sanitizer. */
final class SmallKernel {
  private final Map<String, TensorView> vectors = new TreeMap<>();

  /** Gives the kernel a vector of these elements. */
  SmallKernel with(String name, ElementType type, double... elements) {
    var view = poisoned(type, elements.length);
    for (int i = 0; i < elements.length; i++) {
      if (type == ElementType.I32) view.setBits(i, (long) elements[i]);
      else view.set(i, elements[i]);
    }
    vectors.put(name, view);
    return this;
  }

  /** Gives the kernel a vector that it has to write. */
  SmallKernel output(String name, ElementType type, int size) {
    vectors.put(name, poisoned(type, size));
    return this;
  }

  /** Runs the kernel on so many blocks. */
  SmallKernel run(int blocks, Consumer<Scope> body) {
    var kernel = compile(body);
    var arguments = LaunchArguments.of(kernel);
    vectors.forEach((name, view) ->
        arguments.tensor(name, new LaunchArguments.Tensor(name, 0, List.of(view.size()), List.of(1L))));
    var buffers = new TreeMap<String, MemorySegment>();
    vectors.forEach((name, view) -> buffers.put(name, view.data()));
    var launch = new PreparedLaunch(kernel, Dim3.of(blocks), arguments.build()).on(buffers);
    assertEquals(List.of(), new SimulatorBackend(1).run(launch).findings());
    return this;
  }

  double[] values(String name) {
    return vectors.get(name).values();
  }

  int integer(String name, int index) {
    return (int) vectors.get(name).bits(index);
  }

  static CompiledKernel compile(Consumer<Scope> body) {
    return CompiledKernel.compile(new Kernel() {
      @Override
      public String name() {
        return "small";
      }

      @Override
      public void trace(Scope k) {
        body.accept(k);
      }
    }, Target.SM80);
  }

  /** An element of a vector. */
  static Element element(Scope k, String name, ElementType type, I32 index) {
    return k.global(TensorSpec.of(name, type, name + "Size")).at(index);
  }

  private static TensorView poisoned(ElementType type, int size) {
    return new TensorView(type, Buffers.poisoned(type, size), Layout.of(size, 1));
  }
}
