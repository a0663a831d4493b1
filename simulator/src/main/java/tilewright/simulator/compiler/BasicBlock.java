package tilewright.simulator.compiler;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Straight-line code. Successors: the fall-through first, then the branch target. */
final class BasicBlock {
  final int id;
  final List<Op> ops = new ArrayList<>();
  final List<BasicBlock> successors = new ArrayList<>();
  Terminator terminator = new Terminator.Next();
  /** The lanes that must be here together before the block runs. */
  Optional<Source> together = Optional.empty();
  int instructions;
  final List<Integer> sites = new ArrayList<>();
  int site;
  /** The position in execution order. */
  int number;

  /** @param site the instruction that is being lowered when the block begins */
  BasicBlock(int id, int site) {
    this.id = id;
    this.site = site;
  }

  void begin(int next) {
    if (isEmpty()) site = next;
    instructions++;
    sites.add(next);
  }

  boolean isEmpty() {
    return ops.isEmpty() && instructions == 0 && together.isEmpty();
  }

  void joinMma() {
    var joined = MmaGroups.join(ops);
    ops.clear();
    ops.addAll(joined);
  }
}
