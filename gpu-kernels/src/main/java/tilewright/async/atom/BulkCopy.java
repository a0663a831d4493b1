package tilewright.async.atom;

import java.util.ArrayList;
import java.util.List;
import tilewright.kernel.Element;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.atom.Cluster;
import tilewright.ptx.Operand;

/**
 * {@code cp.async.bulk}: one thread moves a contiguous run of bytes between global and shared memory (PTX ISA, Bulk
 * copy; SM90). Sizes and addresses are multiples of 16 bytes.
 */
public final class BulkCopy {
  private BulkCopy() {}

  /** Global to shared; completes on the barrier. */
  public static void load(Scope k, Element destination, Element source, I32 bytes, Mbarrier barrier) {
    var operands = new ArrayList<Operand>(List.of(destination.address(), source.address(), bytes.operand(),
        barrier.address()));
    var policy = source.policy();
    policy.ifPresent(operands::add);
    k.emit("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
        + (policy.isPresent() ? ".L2::cache_hint" : ""), operands.toArray(Operand[]::new));
  }

  /** Shared to global, and waits until shared memory has been read. */
  public static void store(Scope k, Element destination, Element source, I32 bytes) {
    k.emit("cp.async.bulk.global.shared::cta.bulk_group", destination.address(), source.address(), bytes.operand());
    commit(k);
    waitForReads(k, 0);
  }

  /**
   * Copies from this CTA's shared memory to where the cluster's CTA of that rank has {@code place}; completes on that
   * CTA's barrier.
   */
  public static void send(Scope k, Element place, Element source, I32 rank, I32 bytes, Mbarrier barrier) {
    k.emit("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes", Cluster.remote(k, place.address(), rank),
        source.address(), bytes.operand(), barrier.at(rank));
  }

  /**
   * Adds shared FP32 numbers to global ones, each atomically, in this thread's present group (PTX ISA,
   * cp.reduce.async.bulk). Sums are rounded one by one, and so depend on the order in which copies arrive.
   */
  public static void add(Scope k, Element destination, Element source, I32 bytes) {
    k.emit("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32", destination.address(), source.address(),
        bytes.operand());
  }

  /** Closes the group of this thread's stores since the last one. */
  public static void commit(Scope k) {
    k.emit("cp.async.bulk.commit_group");
  }

  /** Waits until at most so many of this thread's newest groups still read shared memory. */
  public static void waitForReads(Scope k, int pending) {
    k.emit("cp.async.bulk.wait_group.read", new Operand.Integer(pending));
  }

  /** Waits until all of this thread's groups are complete, what they write included. */
  public static void waitForWrites(Scope k) {
    k.emit("cp.async.bulk.wait_group", new Operand.Integer(0));
  }

  /** Makes this thread's ordinary writes to shared memory visible to copies and other users of the async proxy. */
  public static void publish(Scope k) {
    k.emit("fence.proxy.async.shared::cta");
  }
}
