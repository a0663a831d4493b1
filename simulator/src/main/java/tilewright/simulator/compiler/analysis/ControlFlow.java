package tilewright.simulator.compiler.analysis;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tilewright.simulator.compiler.code.BasicBlock;
import tilewright.simulator.compiler.code.Source;
import tilewright.simulator.compiler.code.Terminator;
import tilewright.simulator.compiler.lowering.Lowering;

/** Cuts lowered code into basic blocks. */
public final class ControlFlow {
  private final List<BasicBlock> blocks = new ArrayList<>();
  private final Map<String, BasicBlock> byLabel = new HashMap<>();
  private int site;
  private BasicBlock current = start();

  private ControlFlow() {}

  /** The blocks in execution order (see {@link BlockOrder}); the first is the entry. */
  public static List<BasicBlock> of(Lowering lowering, Runnable check) {
    var flow = new ControlFlow();
    for (var item : LoadHazards.watch(lowering.items())) flow.add(item);
    flow.link();
    return BlockOrder.of(flow.blocks, check);
  }

  private BasicBlock start() {
    var block = new BasicBlock(blocks.size(), site);
    blocks.add(block);
    return block;
  }

  private void add(Lowering.Item item) {
    switch (item) {
      case Lowering.Item.Begin(int begun) -> {
        site = begun;
        current.begin(site);
      }
      case Lowering.Item.Step(var op) -> current.ops.add(op);
      case Lowering.Item.Label(var name) -> {
        if (!current.isEmpty()) current = start();
        byLabel.put(name, current);
      }
      case Lowering.Item.Together(var mask) -> {
        // Lanes that met once stay together for the rest of the block, if the same lanes are named.
        if (mask instanceof Source.Constant && current.together.equals(Optional.of(mask))) return;
        if (!current.isEmpty()) current = start();
        current.together = Optional.of(mask);
      }
      case Lowering.Item.End(var terminator) -> {
        current.terminator = terminator;
        current = start();
      }
    }
  }

  private void link() {
    for (int i = 0; i < blocks.size(); i++) {
      var block = blocks.get(i);
      Optional<BasicBlock> next = i + 1 < blocks.size() ? Optional.of(blocks.get(i + 1)) : Optional.empty();
      switch (block.terminator) {
        case Terminator.Next _, Terminator.Suspend _, Terminator.Retry _ -> next.ifPresent(block.successors::add);
        case Terminator.Goto(var label) -> block.successors.add(target(label));
        case Terminator.Branch(var _, var label) -> {
          next.ifPresent(block.successors::add);
          block.successors.add(target(label));
        }
        case Terminator.Indexed(var _, var labels) -> labels.forEach(l -> block.successors.add(target(l)));
        case Terminator.Exit _ -> {}
      }
    }
  }

  private BasicBlock target(String label) {
    return byLabel.get(label);
  }
}
