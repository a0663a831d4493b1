package tilewright.sm100.atom;

import java.util.Optional;
import tilewright.kernel.I32;
import tilewright.kernel.Pred;
import tilewright.kernel.Scope;
import tilewright.kernel.TraceException;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;

/**
 * Columns of Tensor Memory that a CTA holds from {@link #allocate} to {@link #release}: 128 lanes of 32 bits each (PTX
 * ISA, tcgen05.alloc; SM100). While a kernel is traced, a use after the release, a second release and one that never
 * comes are errors.
 */
public final class TensorMemory {
  public static final int LANES = 128;
  /** Columns that an SM has. */
  public static final int COLUMNS = 512;
  /** The fewest that can be allocated. */
  public static final int FEWEST = 32;
  /** The difference between the addresses of two neighbouring lanes. */
  public static final int LANE = 1 << 16;
  private static final int WORD = 4;

  private final Scope k;
  private final int ctas;
  private final int columns;
  private final Pred warp;
  private final I32 base;
  private final Optional<TensorMemory> allocation;
  private int taken;
  private boolean released;

  private TensorMemory(Scope k, int ctas, int columns, Pred warp, I32 base, Optional<TensorMemory> allocation) {
    this.k = k;
    this.ctas = ctas;
    this.columns = columns;
    this.warp = warp;
    this.base = base;
    this.allocation = allocation;
  }

  /**
   * Allocates columns in one warp, of each CTA of a pair where two multiply together, and hands their address to all
   * threads.
   *
   * @param ctas CTAs that multiply together: 1 or 2
   * @param columns a power of two from 32 to 512
   * @param warp true for the threads of that warp
   * @param meet a barrier for all threads that use the memory, of the cluster where two CTAs multiply together
   */
  public static TensorMemory allocate(Scope k, int ctas, int columns, Pred warp, Runnable meet) {
    if (columns < FEWEST || columns > COLUMNS || Integer.bitCount(columns) != 1) {
      throw new TraceException("invalid allocation of " + columns + " columns of Tensor Memory: a power of two from "
          + FEWEST + " to " + COLUMNS);
    }
    var word = k.address(k.sharedBytes(WORD));
    k.when(warp, () -> {
      k.emit("tcgen05.alloc" + group(ctas) + ".sync.aligned.shared::cta.b32", word, new Operand.Integer(columns));
      k.emit("tcgen05.relinquish_alloc_permit" + group(ctas) + ".sync.aligned");
    });
    meet.run();
    var base = k.newRegister(PtxType.B32);
    k.emit("ld.shared.b32", base, word);
    var memory = new TensorMemory(k, ctas, columns, warp, k.result(base, COLUMNS - FEWEST), Optional.empty());
    k.atEnd(memory::requireReleased);
    return memory;
  }

  /** The memory with addresses that are computed from here on, and not before. */
  public TensorMemory settled() {
    return new TensorMemory(k, ctas, columns, warp, base.settled(), Optional.of(allocation.orElse(this)));
  }

  /** Gives the memory back, behind a barrier for all that used it and have waited for what they began there. */
  public void release(Runnable meet) {
    requireHeld("releases");
    allocation.orElse(this).released = true;
    // Lanes that had a role of their own come back before instructions that a whole warp executes.
    k.emit("bar.warp.sync", new Operand.Integer(-1));
    meet.run();
    k.when(warp, () -> k.emit("tcgen05.dealloc" + group(ctas) + ".sync.aligned.b32", base.register(),
        new Operand.Integer(columns)));
  }

  /** The next columns that nobody has taken. */
  public TensorMemoryTile take(int count) {
    var tile = columns(taken, count);
    taken += count;
    return tile;
  }

  /** These columns, also those that others have: tiles may share columns one after the other. */
  public TensorMemoryTile columns(int first, int count) {
    if (first < 0 || count < 1 || first + count > columns) {
      throw new TraceException("columns " + first + " to " + (first + count - 1) + " of Tensor Memory are not among "
          + "the " + columns + " that are allocated: allocate more, or share columns");
    }
    return new TensorMemoryTile(this, k.constant(first), count);
  }

  /** CTAs that multiply together. */
  public int ctas() {
    return ctas;
  }

  I32 address(I32 column) {
    requireHeld("uses");
    return base.plus(column);
  }

  static String group(int ctas) {
    if (ctas != 1 && ctas != 2) throw new TraceException("no " + ctas + " CTAs multiply together: 1 or 2");
    return ".cta_group::" + ctas;
  }

  private void requireHeld(String verb) {
    if (allocation.orElse(this).released) throw new TraceException("the kernel " + verb + " Tensor Memory after its release: release it last");
  }

  private void requireReleased() {
    if (!released) {
      throw new TraceException("the kernel ends with " + columns + " columns of Tensor Memory allocated: release them");
    }
  }
}
