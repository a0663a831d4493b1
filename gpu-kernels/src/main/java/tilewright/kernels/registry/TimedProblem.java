package tilewright.kernels.registry;

import java.util.List;
import java.util.Map;
import tilewright.kernel.LaunchSequence;
import tilewright.kernel.PreparedLaunch;
import tilewright.numerics.ElementType;

/**
 * One kernel on one problem, to time: one launch or several in a row.
 *
 * @param config extents, types and tiles, in words
 * @param tensors the launches' buffers besides their workspace
 * @param bytes that have to cross global memory at least
 * @param operations that have to be made at least; 0 where moving is all
 * @param peer what the peers are asked for the same problem; empty where there is no peer
 * @param before launches that make what the launches read, once and untimed
 */
public record TimedProblem(String kernel, String arch, String config, LaunchSequence launches, List<Tensor> tensors,
    long bytes, double operations, Map<String, Object> peer, List<PreparedLaunch> before) {
  public TimedProblem {
    tensors = List.copyOf(tensors);
    peer = Map.copyOf(peer);
    before = List.copyOf(before);
  }

  /** A timed problem of one launch. */
  public TimedProblem(String kernel, String arch, String config, PreparedLaunch launch, List<Tensor> tensors,
      long bytes, double operations, Map<String, Object> peer, List<PreparedLaunch> before) {
    this(kernel, arch, config, LaunchSequence.of(launch), tensors, bytes, operations, peer, before);
  }

  /** A timed problem of one launch whose inputs are all drawn at random. */
  public TimedProblem(String kernel, String arch, String config, PreparedLaunch launch, List<Tensor> tensors,
      long bytes, double operations, Map<String, Object> peer) {
    this(kernel, arch, config, launch, tensors, bytes, operations, peer, List.of());
  }

  /** The contents of a tensor before the launch. */
  public sealed interface Content {
    /** Normally distributed values of mean 0. */
    record Normal(double deviation) implements Content {}

    /** Whole numbers from 0 to below the bound. */
    record Indices(long bound) implements Content {}

    /** 0 so many times, then 1 as many times, and so on. */
    record Ranges(long each) implements Content {}

    /** These numbers. */
    record Given(List<Integer> values) implements Content {}

    /** One number everywhere. */
    record Same(double value) implements Content {}

    /** Words of 32 bits, in which every four bits are one of these numbers, drawn at random. */
    record Fours(List<Integer> values) implements Content {}

    /** Zeros, which the kernel relies on: setting them is part of a run. */
    record Zeros() implements Content {}

    /** Nothing that matters. */
    record Undefined() implements Content {}
  }

  /** A tensor in a buffer of its name. */
  public record Tensor(String name, ElementType type, long elements, Content content) {
    public long bytes() {
      return Math.max(1, elements * type.bytes());
    }

    /** A tensor of normally distributed values; bytes are spread over their range. */
    public static Tensor input(String name, ElementType type, long elements) {
      return new Tensor(name, type, elements, new Content.Normal(type == ElementType.I8 ? 32 : 1));
    }

    public static Tensor output(String name, ElementType type, long elements) {
      return new Tensor(name, type, elements, new Content.Undefined());
    }
  }

  /** The bytes of one set of tensors. */
  public long footprint() {
    return tensors.stream().mapToLong(Tensor::bytes).sum();
  }
}
