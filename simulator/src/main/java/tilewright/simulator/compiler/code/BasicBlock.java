package tilewright.simulator.compiler.code;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Straight-line code. Successors: the fall-through first, then the branch target. */
public final class BasicBlock {
  final int id;
  public final List<Op> ops = new ArrayList<>();
  public final List<BasicBlock> successors = new ArrayList<>();
  public Terminator terminator = new Terminator.Next();
  /** The lanes that must be here together before the block runs. */
  public Optional<Source> together = Optional.empty();
  public int instructions;
  public final List<Integer> sites = new ArrayList<>();
  public int site;
  /** The position in execution order. */
  public int number;

  /** @param site the instruction that is being lowered when the block begins */
  public BasicBlock(int id, int site) {
    this.id = id;
    this.site = site;
  }

  public void begin(int next) {
    if (isEmpty()) site = next;
    instructions++;
    sites.add(next);
  }

  public boolean isEmpty() {
    return ops.isEmpty() && instructions == 0 && together.isEmpty();
  }

  public void joinMma() {
    var joined = MmaGroups.join(ops);
    ops.clear();
    ops.addAll(joined);
  }
}
