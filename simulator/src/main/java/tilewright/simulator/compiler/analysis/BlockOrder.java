package tilewright.simulator.compiler.analysis;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import tilewright.simulator.compiler.code.BasicBlock;
import tilewright.simulator.compiler.code.TooLarge;

/**
 * Orders basic blocks so that every block comes after all blocks from which it is reached without going round a loop,
 * and a loop's blocks stand together (a weak topological order, Bourdoncle 1993). When diverged lanes run lowest block
 * first, none can run ahead of the point where the others join it.
 */
final class BlockOrder {
  /** Each level costs time and stack. */
  private static final int MOST_NESTED = 200;

  private final List<BasicBlock> order = new ArrayList<>();

  private final Runnable check;

  private BlockOrder(Runnable check) {
    this.check = check;
  }

  /** @param check called now and then: it may end the work */
  static List<BasicBlock> of(List<BasicBlock> blocks, Runnable check) {
    var ordering = new BlockOrder(check);
    ordering.arrange(List.of(blocks.getFirst()), new HashSet<>(reachable(blocks.getFirst())), 0);
    for (int i = 0; i < ordering.order.size(); i++) ordering.order.get(i).number = i;
    return ordering.order;
  }

  private static Set<BasicBlock> reachable(BasicBlock entry) {
    var seen = new HashSet<BasicBlock>();
    var work = new ArrayDeque<BasicBlock>(List.of(entry));
    while (!work.isEmpty()) {
      var b = work.pop();
      if (seen.add(b)) work.addAll(b.successors);
    }
    return seen;
  }

  /** Appends the blocks of {@code within} that can be reached from {@code roots}, component by component. */
  private void arrange(List<BasicBlock> roots, Set<BasicBlock> within, int depth) {
    if (depth > MOST_NESTED) throw new TooLarge("its loops are nested more than " + MOST_NESTED + " deep");
    check.run();
    for (var component : new Components(within).from(roots)) {
      var head = component.getFirst();
      order.add(head);
      if (component.size() == 1) continue;
      var rest = new HashSet<>(component);
      rest.remove(head);
      arrange(head.successors.stream().filter(rest::contains).toList(), rest, depth + 1);
    }
  }

  /** Strongly connected components (Tarjan), without recursion: unrolled kernels have long chains of blocks. */
  private static final class Components {
    private final Set<BasicBlock> within;
    private final Map<BasicBlock, Integer> index = new HashMap<>();
    private final Map<BasicBlock, Integer> low = new HashMap<>();
    private final Deque<BasicBlock> stack = new ArrayDeque<>();
    private final Set<BasicBlock> onStack = new HashSet<>();
    private final List<List<BasicBlock>> components = new ArrayList<>();

    private record Visit(BasicBlock block, int[] next) {}

    Components(Set<BasicBlock> within) {
      this.within = within;
    }

    /** Orders blocks topologically; each component begins with the block that was reached first. */
    List<List<BasicBlock>> from(List<BasicBlock> roots) {
      for (var root : roots) if (!index.containsKey(root)) visit(root);
      return components.reversed();
    }

    private void visit(BasicBlock root) {
      var visits = new ArrayDeque<Visit>();
      visits.push(open(root));
      while (!visits.isEmpty()) {
        var v = visits.peek();
        if (v.next()[0] < v.block().successors.size()) {
          var s = v.block().successors.get(v.next()[0]++);
          if (!within.contains(s)) continue;
          if (!index.containsKey(s)) {
            visits.push(open(s));
          } else if (onStack.contains(s)) {
            low.merge(v.block(), index.get(s), Math::min);
          }
        } else {
          visits.pop();
          if (!visits.isEmpty()) low.merge(visits.peek().block(), low.get(v.block()), Math::min);
          if (low.get(v.block()).equals(index.get(v.block()))) close(v.block());
        }
      }
    }

    private Visit open(BasicBlock block) {
      index.put(block, index.size());
      low.put(block, index.get(block));
      stack.push(block);
      onStack.add(block);
      return new Visit(block, new int[1]);
    }

    private void close(BasicBlock head) {
      var component = new ArrayList<BasicBlock>();
      BasicBlock b;
      do {
        b = stack.pop();
        onStack.remove(b);
        component.add(b);
      } while (b != head);
      components.add(component.reversed());
    }
  }
}
