package tilewright.simulator.wgmma;

import java.util.Arrays;
import java.util.Optional;
import tilewright.simulator.Finding.Kind;
import tilewright.simulator.core.AsyncOperation;
import tilewright.simulator.core.Fault;
import tilewright.simulator.core.Issuer;
import tilewright.simulator.core.Warp;
import tilewright.simulator.sanitizer.AsyncAccess;
import tilewright.simulator.sanitizer.Sanitizer;
import tilewright.simulator.tensorcore.MatrixDescriptor;
import tilewright.simulator.tensorcore.MatrixLayout;
import tilewright.simulator.tensorcore.SharedOperand;

/**
 * One {@code wgmma.mma_async}. The warps of its warpgroup join it one by one; once all have, it is under way, reads its
 * operands when it completes, and then writes D.
 */
final class WgmmaOperation implements AsyncOperation {
  private static final int RUN_BYTES = 16;
  private static final String FIX =
      "let a warp of that warpgroup wait for the group (wgmma.commit_group, wgmma.wait_group), then synchronise";

  final WgmmaForm form;
  final int site;
  final WgmmaFragments[] warps = new WgmmaFragments[Warp.WARPGROUP_WARPS];
  private final Warpgroup group;
  private final long number;
  private final long descriptorA;
  private final long descriptorB;
  private final boolean accumulate;
  private final SharedOperand a;
  private final SharedOperand b;
  /** Its reads of shared memory, when they are watched. */
  private Optional<AsyncAccess> access = Optional.empty();

  /** Begun by one warp; the descriptor of A counts only if A is in shared memory. */
  WgmmaOperation(Warpgroup group, long number, WgmmaForm form, Warp w, long descriptorA, long descriptorB,
      boolean accumulate, int site) {
    this.group = group;
    this.number = number;
    this.form = form;
    this.site = site;
    this.descriptorA = descriptorA;
    this.descriptorB = descriptorB;
    this.accumulate = accumulate;
    b = operand(w, descriptorB, form.has(Wgmma.TRANSPOSE_B), form.columns(), form.depth(), form.b().bits());
    a = form.aInRegisters() ? b : operand(w, descriptorA, form.has(Wgmma.TRANSPOSE_A), WgmmaForm.ROWS,
        form.storedDepth(), form.a().bits());
  }

  private SharedOperand operand(Warp w, long descriptor, boolean transposed, int outer, int depth, int bits) {
    var layout = new MatrixLayout(MatrixDescriptor.hopper(descriptor), !transposed, bits);
    var operand = new SharedOperand(layout, outer, depth);
    for (int address : operand.addresses()) {
      if (address < 0 || address + RUN_BYTES > w.cta.sharedBytes) {
        throw new Fault(Kind.OUT_OF_BOUNDS, site, 0, address, w.who(0) + " multiplies a matrix whose descriptor 0x"
            + Long.toHexString(descriptor) + " leads to shared memory + " + address + ", and the block has "
            + w.cta.sharedBytes + " bytes");
      }
    }
    return operand;
  }

  /** Where in shared memory the sixteen-byte runs are that a warp's quarter takes: its rows of A, and all of B. */
  private int[] reads(Warp w) {
    int rank = w.index % Warp.WARPGROUP_WARPS;
    int[] left = form.aInRegisters() ? new int[0] : a.addresses(rank * WgmmaForm.ROWS / Warp.WARPGROUP_WARPS,
        WgmmaForm.ROWS / Warp.WARPGROUP_WARPS);
    int[] all = Arrays.copyOf(left, left.length + b.addresses().length);
    System.arraycopy(b.addresses(), 0, all, left.length, b.addresses().length);
    return all;
  }

  /** Tells the sanitizer what a warp lets it read. */
  void watch(Warp w) {
    if (access.isEmpty()) {
      access = Optional.of(Sanitizer.of(w.cta).begin(FIX).in(group.queue(), (int) number + 1));
    }
    Sanitizer.of(w.cta).async().read(new Issuer(w, 0, site), access.get(), w.cta, reads(w), RUN_BYTES);
  }

  /** Whether another warp's instruction is this one. */
  boolean agrees(long otherA, long otherB, boolean accumulates, int otherSite) {
    return site == otherSite && accumulate == accumulates && descriptorB == otherB
        && (form.aInRegisters() || descriptorA == otherA);
  }

  WgmmaFragments fragments(Warp w) {
    return warps[w.index % Warp.WARPGROUP_WARPS];
  }

  long number() {
    return number;
  }

  @Override
  public boolean ready() {
    return group.completed() == number;
  }

  @Override
  public void complete() {
    var cta = group.cta();
    WgmmaUnits.of(cta).wgmma().multiply(form, warps, a, b, cta.shared, accumulate);
    group.completedOne();
  }

  @Override
  public int site() {
    return site;
  }

  @Override
  public String describe() {
    return "wgmma by " + group.describe() + group.cta().at(site);
  }
}
