package tilewright.kernels.peer;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import tilewright.kernel.CompiledKernel;
import tilewright.kernel.Kernel;
import tilewright.kernel.LaunchArguments;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.Target;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;
import tilewright.ptx.Dim3;
import tilewright.ptx.Launch;
import tilewright.ptx.LaunchGroup;

/**
 * Launches of one kernel that run at the same time, one for each device, and the memory that they share.
 *
 * @param launches by rank, which is the device's number; each names buffers of all devices by {@link #buffer}
 * @param memory the buffers of all devices
 */
public record PeerLaunches(List<PreparedLaunch> launches, List<Memory> memory) {
  private static final int ALIGNMENT = 256;

  public PeerLaunches {
    launches = List.copyOf(launches);
    memory = List.copyOf(memory);
  }

  /**
   * A buffer of one device.
   *
   * @param workspace whether only the kernel uses it: zeros before the first launch, as each launch leaves it
   */
  public record Memory(String name, int rank, ElementType type, Layout layout, boolean workspace) {
    public long bytes() {
      return layout.cosize() * type.bytes();
    }
  }

  /** The name of a device's buffer for a tensor. */
  public static String buffer(String tensor, int rank) {
    return tensor + "." + rank;
  }

  /** The launches on these buffers, by name; the workspace is new where it is not given. */
  public LaunchGroup on(Map<String, MemorySegment> buffers) {
    var all = new HashMap<>(buffers);
    var owners = new HashMap<String, Integer>();
    for (var m : memory) {
      owners.put(m.name, m.rank);
      if (m.workspace) all.computeIfAbsent(m.name, _ -> Arena.ofAuto().allocate(Math.max(1, m.bytes()), ALIGNMENT));
    }
    var byDevice = new TreeMap<Integer, Launch>();
    for (int rank = 0; rank < launches.size(); rank++) byDevice.put(rank, launches.get(rank).on(all));
    return LaunchGroup.ofPeers(byDevice, owners);
  }

  /** Prepares launches: says which buffers the tensors of a kernel are on each device. */
  public static final class Builder {
    private final CompiledKernel kernel;
    private final int ranks;
    private final int blocks;
    private final List<LaunchArguments> arguments;
    private final List<Memory> memory = new ArrayList<>();

    /** @param blocks of each device's grid */
    public Builder(Kernel kernel, int ranks, int blocks) {
      if (ranks < 1 || ranks > LaunchGroup.MOST_DEVICES) {
        throw new IllegalArgumentException(ranks + " devices: needed are 1 to " + LaunchGroup.MOST_DEVICES);
      }
      if (blocks < 1) throw new IllegalArgumentException(blocks + " blocks: needed is one at least");
      this.kernel = CompiledKernel.compile(kernel, Target.SM80);
      this.ranks = ranks;
      this.blocks = blocks;
      arguments = IntStream.range(0, ranks).mapToObj(_ -> LaunchArguments.of(this.kernel)).toList();
    }

    private void allocate(String tensor, ElementType type, Layout layout, boolean workspace) {
      for (int rank = 0; rank < ranks; rank++) {
        memory.add(new Memory(buffer(tensor, rank), rank, type, layout, workspace));
      }
    }

    /** Binds a tensor of FP32 numbers that each device has for itself. */
    public Builder own(String tensor, Layout layout) {
      allocate(tensor, ElementType.F32, layout, false);
      return bindOwn(tensor, layout);
    }

    /** Binds a tensor to a buffer of this device that another call allocates. */
    public Builder bindOwn(String tensor, Layout layout) {
      for (int rank = 0; rank < ranks; rank++) arguments.get(rank).tensor(tensor, whole(buffer(tensor, rank), layout));
      return this;
    }

    /** Binds, for each device, a tensor that is this one's part of a buffer there: by rank, the layout's first mode. */
    public Builder parts(String tensor, Layout layout) {
      allocate(tensor, ElementType.F32, layout, false);
      return bindParts(tensor, ElementType.F32, layout);
    }

    private Builder bindParts(String tensor, ElementType type, Layout layout) {
      for (int rank = 0; rank < ranks; rank++) {
        for (int other = 0; other < ranks; other++) {
          arguments.get(rank).tensor(tensor + other, part(buffer(tensor, other), type, layout, rank));
        }
      }
      return this;
    }

    /** Binds the flags that {@link PeerFlags#of} names so. */
    public Builder flags(String name) {
      return shared(name, ElementType.I32, Layout.rowMajor(ranks, blocks));
    }

    /** Binds the slots and flags of the {@link Mailbox} of that name. */
    Builder mailbox(String name) {
      return shared(name, ElementType.F32, Layout.rowMajor(ranks, blocks, Tiles.SIZE)).flags(name + Mailbox.FULL);
    }

    private Builder shared(String name, ElementType type, Layout layout) {
      allocate(name, type, layout, true);
      return bindOwn(name, layout).bindParts(name, type, layout);
    }

    public PeerLaunches build() {
      return new PeerLaunches(arguments.stream()
          .map(a -> new PreparedLaunch(kernel, Dim3.of(blocks), a.build())).toList(), memory);
    }

    private static LaunchArguments.Tensor whole(String buffer, Layout layout) {
      return new LaunchArguments.Tensor(buffer, 0, leaves(layout.flatShape()), leaves(layout.flatStride()));
    }

    /** The slice of a layout at a coordinate of its first mode. */
    private static LaunchArguments.Tensor part(String buffer, ElementType type, Layout layout, int at) {
      var shape = leaves(layout.flatShape());
      var stride = leaves(layout.flatStride());
      return new LaunchArguments.Tensor(buffer, layout.mode(0).apply(at) * type.bytes(), shape.subList(1, shape.size()),
          stride.subList(1, stride.size()));
    }

    private static List<Long> leaves(long[] numbers) {
      return Arrays.stream(numbers).boxed().toList();
    }
  }
}
