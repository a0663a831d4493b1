package tilewright.ops;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;
import tilewright.reference.TensorView;
import tilewright.simulator.Finding;

/** A kernel's run: its tensors afterwards, inputs too, what it printed, and what the simulator's sanitizer found. */
public final class KernelRun {
  private final String kernel;
  private final Device device;
  private final Map<String, MemorySegment> buffers;
  private final Map<String, ElementType> types;
  private final Device.Outcome outcome;

  KernelRun(String kernel, Device device, Map<String, MemorySegment> buffers, Map<String, ElementType> types,
      Device.Outcome outcome) {
    this.kernel = kernel;
    this.device = device;
    this.buffers = Map.copyOf(buffers);
    this.types = Map.copyOf(types);
    this.outcome = outcome;
  }

  /** Returns a tensor's numbers, in memory order. */
  public float[] floats(String name) {
    var numbers = doubles(name);
    var floats = new float[numbers.length];
    for (int i = 0; i < floats.length; i++) floats[i] = (float) numbers[i];
    return floats;
  }

  /** Returns a tensor's numbers, in memory order. */
  public double[] doubles(String name) {
    var view = view(name);
    var numbers = new double[Math.toIntExact(view.layout().size())];
    for (int i = 0; i < numbers.length; i++) numbers[i] = view.value(i);
    return numbers;
  }

  /**
   * Returns the numbers of a tensor of an integer type, in memory order.
   *
   * @throws IllegalArgumentException for a tensor of another type
   */
  public int[] ints(String name) {
    var type = types.get(requireTensor(name));
    if (!List.of(ElementType.I32, ElementType.I8, ElementType.I4).contains(type)) {
      throw new IllegalArgumentException("tensor " + name + " is of " + type.text()
          + ": ask for its floats or doubles");
    }
    var view = view(name);
    var numbers = new int[Math.toIntExact(view.layout().size())];
    for (int i = 0; i < numbers.length; i++) numbers[i] = (int) view.value(i);
    return numbers;
  }

  /** Returns a tensor's bytes. */
  public byte[] bytes(String name) {
    return buffers.get(requireTensor(name)).toArray(ValueLayout.JAVA_BYTE);
  }

  private TensorView view(String name) {
    var type = types.get(requireTensor(name));
    long elements = buffers.get(name).byteSize() * Byte.SIZE / type.bits();
    return new TensorView(type, buffers.get(name), Layout.of(elements, 1));
  }

  private String requireTensor(String name) {
    if (!buffers.containsKey(name)) {
      throw new IllegalArgumentException("kernel " + kernel + " has no tensor '" + name + "': it has "
          + types.keySet().stream().sorted().toList());
    }
    return name;
  }

  /** Returns what is wrong with the kernel, one finding per mistake; none on a GPU. */
  public List<Finding> findings() {
    return outcome.findings();
  }

  /** Returns what the kernel printed, block by block; on a GPU that goes to standard output. */
  public String printed() {
    return outcome.printed();
  }

  /** Returns the wall time in the simulator, or the device time on a GPU. */
  public double milliseconds() {
    return outcome.ms();
  }

  /**
   * Returns this run if nothing is wrong with it.
   *
   * @throws AssertionError with the {@link #report()} otherwise
   */
  public KernelRun requireClean() {
    if (!findings().isEmpty()) throw new AssertionError(report());
    return this;
  }

  /** Returns a text for people: the findings, each with its place and likely fix, and what it printed. */
  public String report() {
    int count = findings().size();
    var head = "kernel " + kernel + " on " + device + ": "
        + (count == 0 ? "no findings" : count == 1 ? "1 finding" : count + " findings");
    return head + findings().stream().map(f -> "\n\n" + f.describe()).collect(Collectors.joining())
        + (printed().isEmpty() ? "" : "\n\nit printed:\n" + printed().stripTrailing());
  }

  @Override
  public String toString() {
    return report();
  }
}
