package tilewright.kernel;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import tilewright.numerics.ElementType;
import tilewright.ptx.tensormap.TensorElement;

/**
 * The assumptions of a kernel about a tensor in global memory; a launch that breaks them is refused.
 *
 * @param contiguous the mode whose stride is one, if the kernel relies on one
 * @param alignment elements: the pointer and every other stride are multiples of it
 * @param packed the format of elements of fewer than eight bits in global memory, which a copy unpacks to bytes;
 *     strides count elements all the same
 * @param eviction the L2 eviction priority of reads, if they have one
 */
public record TensorSpec(String name, ElementType type, List<Mode> modes, Optional<String> contiguous, int alignment,
    Optional<TensorElement> packed, Optional<Eviction> eviction) {

  /**
   * The assumptions about a mode.
   *
   * @param name of the extent; equal names mean equal extents
   * @param multiple a number that the extent is a multiple of
   * @param extent the only extent that the kernel is made for, if it is made for one
   * @param stride the only stride in elements that the kernel is made for, if it is made for one
   */
  public record Mode(String name, int multiple, Optional<Integer> extent, Optional<Long> stride) {}

  public TensorSpec {
    modes = List.copyOf(modes);
    var names = modes.stream().map(Mode::name).toList();
    contiguous.ifPresent(mode -> requireMode(name, names, mode));
  }

  public static TensorSpec of(String name, ElementType type, String... extents) {
    var modes = Stream.of(extents).map(mode -> new Mode(mode, 1, Optional.empty(), Optional.empty())).toList();
    return new TensorSpec(name, type, modes, Optional.empty(), 1, Optional.empty(), Optional.empty());
  }

  /** The names of the extents, mode by mode. */
  public List<String> extents() {
    return modes.stream().map(Mode::name).toList();
  }

  /** The extents that the kernel is made for, by the names of their modes. */
  public Map<String, Integer> fixed() {
    return modes.stream().filter(m -> m.extent.isPresent())
        .collect(Collectors.toMap(Mode::name, m -> m.extent.get(), (first, _) -> first));
  }

  /** The numbers above 1 that extents are multiples of, by the names of their modes. */
  public Map<String, Integer> multiples() {
    return modes.stream().filter(m -> m.multiple > 1)
        .collect(Collectors.toMap(Mode::name, Mode::multiple, (first, _) -> first));
  }

  /** This specification with a mode whose stride is one. */
  public TensorSpec contiguous(String mode) {
    return new TensorSpec(name, type, modes, Optional.of(mode), alignment, packed, eviction);
  }

  /** This specification with pointer and non-unit strides that are multiples of {@code elements}. */
  public TensorSpec aligned(int elements) {
    return new TensorSpec(name, type, modes, contiguous, elements, packed, eviction);
  }

  /** This specification with an extent in whole vectors, so that a vector lies in the tensor whole or not at all. */
  public TensorSpec multipleOf(String mode, int elements) {
    return with(mode, m -> new Mode(mode, elements, m.extent, m.stride));
  }

  /** This specification with an extent that is known when the kernel is traced, and is not checked later. */
  public TensorSpec fixed(String mode, int extent) {
    return with(mode, m -> new Mode(mode, m.multiple, Optional.of(extent), m.stride));
  }

  /** This specification with a known stride: what it multiplies goes into the instructions' offsets. */
  public TensorSpec stride(String mode, long elements) {
    return with(mode, m -> new Mode(mode, m.multiple, m.extent, Optional.of(elements)));
  }

  private TensorSpec with(String mode, UnaryOperator<Mode> change) {
    requireMode(name, extents(), mode);
    var changed = modes.stream().map(m -> m.name.equals(mode) ? change.apply(m) : m).toList();
    return new TensorSpec(name, type, changed, contiguous, alignment, packed, eviction);
  }

  /** This specification with elements that a copy unpacks into bytes. */
  public TensorSpec packedAs(TensorElement element) {
    return new TensorSpec(name, type, modes, contiguous, alignment, Optional.of(element), eviction);
  }

  /**
   * This specification with reads that L2 evicts last (PTX ISA, {@code createpolicy}: evict_last). Kernels that write
   * as much as they read were 1 to 4 % faster so on an H200, with the same bytes moved.
   */
  public TensorSpec lastingReads() {
    return new TensorSpec(name, type, modes, contiguous, alignment, packed, Optional.of(Eviction.LAST));
  }

  /**
   * This specification with reads that L2 evicts first (PTX ISA, {@code createpolicy}: evict_first), since nothing
   * reads the elements again.
   */
  public TensorSpec passingReads() {
    return new TensorSpec(name, type, modes, contiguous, alignment, packed, Optional.of(Eviction.FIRST));
  }

  boolean isContiguous(int mode) {
    return contiguous.filter(modes.get(mode).name::equals).isPresent();
  }

  private static void requireMode(String name, List<String> modes, String mode) {
    if (!modes.contains(mode)) throw new TraceException("tensor " + name + modes + " has no mode '" + mode + "'");
  }
}
