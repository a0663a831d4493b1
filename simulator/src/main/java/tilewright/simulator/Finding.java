package tilewright.simulator;

import java.util.Optional;
import tilewright.ptx.Dim3;

/**
 * One thing that is wrong with a launch, at one instruction or line of the source.
 *
 * @param message one sentence that says what happened, to whom and where
 * @param fix what would most likely mend it
 * @param line of the PTX text, 0 when no instruction is to blame
 * @param text of the instruction, or the empty text
 * @param source {@code File.java:12} from {@code .loc}, or the empty text
 * @param block of the first occurrence
 * @param thread of the first occurrence, within its block
 * @param address of the first occurrence, as an offset into its buffer, shared or local memory
 * @param other the access it conflicts with, for races
 * @param count occurrences of the same mistake
 */
public record Finding(Kind kind, String message, String fix, int line, String text, String source, Dim3 block,
    Dim3 thread, long address, Optional<Access> other, long count) {

  /** An earlier access, by the instruction and thread that made it. */
  public record Access(int line, String text, String source, Dim3 block, Dim3 thread) {}

  /** The kind of problem. Kinds before {@link #RACE} stop the launch. */
  public enum Kind {
    OUT_OF_BOUNDS("check the index against the extent before the access, and the extent against the allocation"),
    MISALIGNED("align the address to the size of the access, or use narrower accesses"),
    NO_PEER_ACCESS("let the device reach the other one's memory before the launch (cuCtxEnablePeerAccess, or \"peers\" "
        + "of a launch file)"),
    DEADLOCK("let every thread that a barrier counts reach it, in the same order of barriers"),
    BARRIER_DIVERGENCE("move the instruction out of the divergent branch, or name only the lanes that reach it"),
    TRAP("find the check that failed before the trap"),
    ASSERTION("find out why the condition does not hold"),
    INVALID_OPERATION("correct the operand"),
    INSTRUCTION_LIMIT("look for a loop that does not end, or raise the limit"),
    TIME_LIMIT("look for a loop that does not end, or raise the limit"),
    MEMORY_LIMIT("run a smaller problem, or give the simulator more memory"),
    RACE("order the two accesses"),
    UNINITIALIZED_READ("write it first"),
    PENDING_COPY_READ("wait for the copy"),
    MISSING_PROXY_FENCE("let the writer execute fence.proxy.async after its writes"),
    MISSING_GRID_WAIT("put griddepcontrol.wait before the access"),
    PHASE_MISSED("wait for every phase of the mbarrier in turn, or let a barrier tell the thread how far it is"),
    REGISTER_IN_FLIGHT("wait for the operation before its registers are touched"),
    INVALID_SHUFFLE("let all named lanes take part"),
    MISSING_FENCE("put tcgen05.fence::before_thread_sync before the synchronisation, unless it is a tcgen05.commit, "
        + "and tcgen05.fence::after_thread_sync behind it"),
    PENDING_LOAD_READ("put tcgen05.wait::ld behind the load"),
    EARLY_EXIT("let the thread that copies wait for the reading before it exits (cp.async.bulk.wait_group.read)"),
    TENSOR_MEMORY_LEAK("free it with tcgen05.dealloc before the kernel exits");

    private final String fix;

    Kind(String fix) {
      this.fix = fix;
    }

    /** Whether the launch ended there. */
    public boolean stops() {
      return compareTo(RACE) < 0;
    }

    /** The change that usually mends it. */
    public String fix() {
      return fix;
    }
  }

  /** Returns this finding as the one of so many pairs of instructions, which one change mends. */
  public Finding among(int pairs) {
    if (pairs < 2) return this;
    var all = message + " (the first of " + pairs + " such pairs of instructions)";
    return new Finding(kind, all, fix, line, text, source, block, thread, address, other, count);
  }

  /** A report of some lines for people: the place, what happened there, and the likely fix. */
  public String describe() {
    return kind + (where().isEmpty() ? "" : " at " + where()) + (count > 1 ? ", " + count + " times" : "") + "\n  "
        + message + "\n  likely fix: " + fix;
  }

  private String where() {
    var ptx = (line > 0 ? "PTX line " + line : "") + (line > 0 && !text.isEmpty() ? ", " : "") + text;
    return source.isEmpty() ? ptx : source + (ptx.isEmpty() ? "" : " (" + ptx + ")");
  }

  /** A short paragraph for people. */
  @Override
  public String toString() {
    return kind + (where().isEmpty() ? "" : " at " + where()) + ": " + message + ". Likely fix: " + fix + "."
        + (count > 1 ? " [" + count + " times]" : "");
  }
}
