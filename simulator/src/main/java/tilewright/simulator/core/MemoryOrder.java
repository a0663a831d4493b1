package tilewright.simulator.core;

import tilewright.ptx.Instruction;

/**
 * How an access or a fence takes part in synchronisation (PTX ISA, memory consistency model).
 *
 * @param scope the threads it synchronises with; {@link Scope#NONE} for weak accesses
 * @param acquire whether later accesses of the thread come after what it observes
 * @param release whether earlier accesses of the thread come before what it makes known
 */
public record MemoryOrder(Scope scope, boolean acquire, boolean release) {
  /** Sets of threads, each within the next. */
  public enum Scope { NONE, CTA, CLUSTER, GPU, SYS }

  public static final MemoryOrder WEAK = new MemoryOrder(Scope.NONE, false, false);

  public boolean strong() {
    return scope != Scope.NONE;
  }

  /** Whether it reaches threads of other CTAs of the cluster. */
  public boolean reachesCluster() {
    return scope.compareTo(Scope.CLUSTER) >= 0;
  }

  /** Whether it reaches threads of all CTAs of the device. */
  public boolean reachesGpu() {
    return scope.compareTo(Scope.GPU) >= 0;
  }

  /** Whether it reaches threads of other devices. */
  public boolean reachesSystem() {
    return scope == Scope.SYS;
  }

  /** Reads an instruction's modifiers. */
  public static MemoryOrder of(Instruction i) {
    return switch (i.opcode()) {
      case "atom", "red" -> update(i, Scope.GPU);
      case "multimem" -> i.has("red") ? update(i, Scope.SYS) : access(i);
      case "ld", "st" -> access(i);
      case "membar" -> new MemoryOrder(scope(i, Scope.GPU), true, true);
      case "fence" -> i.has("tensormap::generic") ? fence(i)
          : i.has("mbarrier_init") || i.modifiers().stream().anyMatch(m -> m.startsWith("proxy")) ? WEAK
          : fence(i);
      case "mbarrier" -> mbarrier(i);
      default -> WEAK;
    };
  }

  private static MemoryOrder fence(Instruction i) {
    return new MemoryOrder(scope(i, Scope.CTA), !i.has("release"), !i.has("acquire"));
  }

  private static MemoryOrder mbarrier(Instruction i) {
    boolean ordered = !i.has("relaxed");
    boolean waits = i.has("test_wait") || i.has("try_wait");
    boolean arrives = i.has("arrive") || i.has("arrive_drop");
    return new MemoryOrder(scope(i, Scope.CTA), waits && ordered, arrives && ordered);
  }

  private static MemoryOrder update(Instruction i, Scope otherwise) {
    return new MemoryOrder(scope(i, otherwise), i.has("acquire") || i.has("acq_rel"),
        i.has("release") || i.has("acq_rel"));
  }

  private static MemoryOrder access(Instruction i) {
    if (i.has("volatile") || i.has("mmio")) return new MemoryOrder(Scope.SYS, false, false);
    boolean strong = i.has("relaxed") || i.has("acquire") || i.has("release");
    return strong ? new MemoryOrder(scope(i, Scope.GPU), i.has("acquire"), i.has("release")) : WEAK;
  }

  /** How the fence of an instruction makes known what came before it. */
  public static Scope releasedTo(Instruction i) {
    return scope(i, Scope.CTA);
  }

  private static Scope scope(Instruction i, Scope otherwise) {
    if (i.has("sys")) return Scope.SYS;
    if (i.has("gpu") || i.has("gl")) return Scope.GPU;
    if (i.has("cluster")) return Scope.CLUSTER;
    return i.has("cta") ? Scope.CTA : otherwise;
  }
}
