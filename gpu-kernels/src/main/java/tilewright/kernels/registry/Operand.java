package tilewright.kernels.registry;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import tilewright.kernel.LaunchArguments;
import tilewright.layout.Layout;
import tilewright.layout.tuple.IntTuple;
import tilewright.numerics.ElementType;

/**
 * A tensor of a workload, in a buffer of its name, the last mode contiguous.
 *
 * @param modes the extents' names, or numbers
 */
public record Operand(String name, Role role, Fill fill, ElementType type, List<String> modes, List<Long> extents) {
  public Operand {
    modes = List.copyOf(modes);
    extents = List.copyOf(extents);
  }

  /** The operand's use. A kernel that needs zeros in scratch memory leaves zeros there for the next launch. */
  public enum Role {
    INPUT, OUTPUT,
    /** Read, and overwritten in place. */
    UPDATED,
    SCRATCH;

    /** Whether the launch reads what the caller gives. */
    public boolean isRead() {
      return this == INPUT || this == UPDATED;
    }

    /** Whether the launch leaves a result. */
    public boolean isWritten() {
      return this == OUTPUT || this == UPDATED;
    }
  }

  /** The contents before the launch. */
  public sealed interface Fill {
    /** Normally distributed values of mean 0. */
    record Normal(double deviation) implements Fill {}

    /** Normally distributed values of mean 0, and in about a quarter of the places another. */
    record Gaps(double deviation, double other) implements Fill {}

    /** Magnitudes of normally distributed values of mean 0. */
    record Magnitudes(double deviation) implements Fill {}

    /** Whole numbers from 0 to below the bound. */
    record Indices(long bound) implements Fill {}

    /** Whole numbers from 0 to below the bound, none of them twice. */
    record Distinct(long bound) implements Fill {}

    /** Whole numbers from 0 to below the bound, and in about a quarter of the places another. */
    record Targets(long bound, int other) implements Fill {}

    /** Zeros, which the kernel relies on. */
    record Zeros() implements Fill {}

    /** All bits one, to show what is not written. */
    record Poison() implements Fill {}
  }

  /** A tensor of normally distributed values. */
  public static Operand input(String name, ElementType type, Choice choice, String... modes) {
    return of(name, Role.INPUT, new Fill.Normal(1), type, choice, modes);
  }

  /** A tensor of whole numbers from 0 to below {@code bound}. */
  public static Operand indices(String name, long bound, Choice choice, String... modes) {
    return of(name, Role.INPUT, new Fill.Indices(bound), ElementType.I32, choice, modes);
  }

  /** A tensor of whole numbers from 0 to below {@code bound}, a quarter of which are {@code other}. */
  public static Operand targets(String name, long bound, int other, Choice choice, String... modes) {
    return of(name, Role.INPUT, new Fill.Targets(bound, other), ElementType.I32, choice, modes);
  }

  public static Operand output(String name, ElementType type, Choice choice, String... modes) {
    return of(name, Role.OUTPUT, new Fill.Poison(), type, choice, modes);
  }

  /** A tensor of normally distributed values that the kernel overwrites with its results. */
  public static Operand updated(String name, ElementType type, Choice choice, String... modes) {
    return of(name, Role.UPDATED, new Fill.Normal(1), type, choice, modes);
  }

  public static Operand scratch(String name, ElementType type, Fill fill, long extent) {
    return new Operand(name, Role.SCRATCH, fill, type, List.of(Long.toString(extent)), List.of(extent));
  }

  private static Operand of(String name, Role role, Fill fill, ElementType type, Choice choice, String... modes) {
    var extents = new ArrayList<Long>();
    for (var mode : modes) {
      extents.add(choice.values().containsKey(mode) ? choice.number(mode) : Long.parseLong(mode));
    }
    return new Operand(name, role, fill, type, List.of(modes), extents);
  }

  /** Whether it is zeros before the first launch, and again after every one. */
  public boolean isCounter() {
    return role == Role.SCRATCH && fill instanceof Fill.Zeros;
  }

  /** The operand with other contents before the launch. */
  public Operand filled(Fill other) {
    return new Operand(name, role, other, type, modes, extents);
  }

  public long elements() {
    return extents.stream().reduce(1L, Math::multiplyExact);
  }

  public long bytes() {
    return elements() * type.bytes();
  }

  /** Bytes that cross global memory at least: twice the tensor where it is read and written, none of scratch memory. */
  long traffic() {
    return bytes() * ((role.isRead() ? 1 : 0) + (role.isWritten() ? 1 : 0));
  }

  /** Coordinates → offset in elements. */
  public Layout layout() {
    return new Layout(IntTuple.flat(numbers(extents)), IntTuple.flat(numbers(strides())));
  }

  /** The launch argument. */
  public LaunchArguments.Tensor argument() {
    return new LaunchArguments.Tensor(name, 0, extents, strides());
  }

  private List<Long> strides() {
    var strides = new ArrayList<Long>();
    long stride = 1;
    for (long extent : extents.reversed()) {
      strides.add(stride);
      stride = Math.multiplyExact(stride, Math.max(1, extent));
    }
    Collections.reverse(strides);
    return strides;
  }

  private static long[] numbers(List<Long> values) {
    return values.stream().mapToLong(v -> v).toArray();
  }
}
