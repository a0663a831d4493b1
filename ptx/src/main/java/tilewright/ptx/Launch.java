package tilewright.ptx;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.Set;
import tilewright.ptx.tensormap.TensorMap;

/**
 * One kernel launch as data: what the simulator and a GPU both take.
 *
 * @param ptx the whole module's text
 * @param entry the kernel's name
 * @param cluster {@link Dim3#ONE} when there are no clusters
 * @param dynamicSharedBytes bytes of dynamic shared memory a CTA
 * @param features besides
 * @param ahead buffers that no earlier kernel of the stream writes: one that is {@link LaunchFeature#PROGRAMMATIC} may
 *     read them before it has waited for those kernels
 * @param buffers global memory by name; running a launch writes the results into these segments, save read-only ones
 * @param arguments in the order of the kernel's parameters
 */
public record Launch(String ptx, String entry, Dim3 grid, Dim3 block, Dim3 cluster, int dynamicSharedBytes,
    Set<LaunchFeature> features, Set<String> ahead, Map<String, MemorySegment> buffers, List<Argument> arguments) {
  public Launch {
    features = Set.copyOf(features);
    ahead = Set.copyOf(ahead);
    buffers = Map.copyOf(buffers);
    arguments = List.copyOf(arguments);
    for (var name : ahead) requireBuffer("ahead", name, buffers);
    for (var argument : arguments) requireBuffers(argument, buffers);
  }

  /** Without features. */
  public Launch(String ptx, String entry, Dim3 grid, Dim3 block, Dim3 cluster, int dynamicSharedBytes,
      Map<String, MemorySegment> buffers, List<Argument> arguments) {
    this(ptx, entry, grid, block, cluster, dynamicSharedBytes, Set.of(), Set.of(), buffers, arguments);
  }

  /** Returns this launch with these features and no others. */
  public Launch with(LaunchFeature... chosen) {
    return new Launch(ptx, entry, grid, block, cluster, dynamicSharedBytes, Set.of(chosen), ahead, buffers, arguments);
  }

  /** Returns this launch, of which no earlier kernel writes these buffers. */
  public Launch withAhead(String... names) {
    return new Launch(ptx, entry, grid, block, cluster, dynamicSharedBytes, features, Set.of(names), buffers,
        arguments);
  }

  /** Returns this launch on other buffers. */
  public Launch on(Map<String, MemorySegment> others) {
    return new Launch(ptx, entry, grid, block, cluster, dynamicSharedBytes, features, ahead, others, arguments);
  }

  private static void requireBuffer(String what, String name, Map<String, MemorySegment> buffers) {
    if (!buffers.containsKey(name)) {
      throw new IllegalArgumentException(
          what + " names buffer '" + name + "', but the launch has " + buffers.keySet());
    }
  }

  private static void requireBuffers(Argument argument, Map<String, MemorySegment> buffers) {
    switch (argument) {
      case Argument.Buffer b -> requireBuffer("argument", b.name(), buffers);
      case Argument.Struct s -> s.fields().forEach(f -> requireBuffers(f.value(), buffers));
      case Argument.TensorMapOf m -> requireBuffers(m.buffer(), buffers);
      case Argument.Scalar _ -> {}
    }
  }

  /** The value of one kernel parameter. */
  public sealed interface Argument {
    /** The size of a {@code CUtensorMap}. */
    int TENSOR_MAP_BYTES = 128;

    /** The address of a buffer plus an offset in bytes. */
    record Buffer(String name, long offset) implements Argument {
      public Buffer(String name) {
        this(name, 0);
      }
    }

    /** A value by type and bits, zero-extended to 64. */
    record Scalar(PtxType type, long bits) implements Argument {}

    /** A parameter of several fields, such as a C struct; bytes no field covers are zero. */
    record Struct(int bytes, List<Field> fields) implements Argument {
      public Struct {
        fields = List.copyOf(fields);
      }
    }

    /** A tensor map of {@value #TENSOR_MAP_BYTES} bytes over memory that begins at the buffer's place. */
    record TensorMapOf(Buffer buffer, TensorMap map) implements Argument {}

    /** One field of a struct, at an offset in bytes. */
    record Field(int offset, Argument value) {}

    static Argument u32(int value) {
      return new Scalar(PtxType.U32, Integer.toUnsignedLong(value));
    }

    static Argument u64(long value) {
      return new Scalar(PtxType.U64, value);
    }

    static Argument f32(float value) {
      return new Scalar(PtxType.F32, Integer.toUnsignedLong(java.lang.Float.floatToRawIntBits(value)));
    }
  }

  /** The bytes of a buffer, copied. */
  public byte[] bytes(String buffer) {
    return buffers.get(buffer).toArray(java.lang.foreign.ValueLayout.JAVA_BYTE);
  }

  @Override
  public String toString() {
    var besides = features.isEmpty() ? "" : ", " + features;
    return entry + "<<<" + grid + ", " + block + ", " + dynamicSharedBytes + besides + ">>>" + arguments;
  }
}
