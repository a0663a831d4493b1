package tilewright.kernel.atom;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tilewright.kernel.Element;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Pred;
import tilewright.kernel.Scope;
import tilewright.kernel.TraceException;
import tilewright.ptx.Operand;

/**
 * {@code cp.async}: 4, 8 or 16 bytes from global to shared memory without passing registers (PTX ISA, Asynchronous Copy
 * Instructions; SM80). The source size is what the tensor has of the run; the hardware fills the rest with zero.
 *
 * @param condition without which nothing is copied, not even zeros
 */
public record CpAsync(Scope k, int elements, int elementBytes, Optional<Pred> condition) implements CopyAtom {
  public CpAsync {
    int bytes = elements * elementBytes;
    if (bytes != 4 && bytes != 8 && bytes != 16) {
      throw new TraceException("cp.async moves 4, 8 or 16 bytes, not " + elements + " elements of " + elementBytes
          + " bytes");
    }
  }

  /** An unconditional copy. */
  public CpAsync(Scope k, int elements, int elementBytes) {
    this(k, elements, elementBytes, Optional.empty());
  }

  @Override
  public CpAsync where(Pred condition) {
    return new CpAsync(k, elements, elementBytes, Optional.of(condition));
  }

  @Override
  public void copy(GlobalTensor source, I32[] coordinate, Element destination) {
    int bytes = elements * elementBytes;
    // Only 16-byte copies may bypass L1 (.cg); a tile is read once by each CTA, so L1 has nothing to gain.
    var cache = bytes == 16 ? "cg" : "ca";
    var from = source.at(coordinate);
    from.requireAligned(elements);
    destination.requireAligned(elements);
    var operands = new ArrayList<Operand>(List.of(destination.address(), from.address(), new Operand.Integer(bytes)));
    var available = source.availableBytes(elements, coordinate).operand();
    if (!available.equals(new Operand.Integer(bytes))) operands.add(available);
    var policy = from.policy();
    policy.ifPresent(operands::add);
    var name = "cp.async." + cache + ".shared.global" + (policy.isPresent() ? ".L2::cache_hint" : "") + ".L2::128B";
    k.emit(condition, name, operands.toArray(Operand[]::new));
  }

  /** Closes the group of copies issued since the last one. */
  public static void commit(Scope k) {
    k.emit("cp.async.commit_group");
  }

  /** Waits until at most so many of this thread's newest groups are still under way. */
  public static void waitFor(Scope k, int pending) {
    k.emit("cp.async.wait_group", new Operand.Integer(pending));
  }
}
