package tilewright.simulator.profile;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import tilewright.simulator.Profile.ClassCount;
import tilewright.simulator.Profile.Executions;
import tilewright.simulator.core.InstructionClass;
import tilewright.simulator.core.Kernel;

/** Counts how often the CTAs of one worker execute each basic block. */
public final class ExecutionCounter {
  private final long[] warps;
  private final long[] threads;

  ExecutionCounter(int blocks) {
    warps = new long[blocks];
    threads = new long[blocks];
  }

  public void executed(int block, int mask) {
    warps[block]++;
    threads[block] += Integer.bitCount(mask);
  }

  void add(ExecutionCounter other) {
    for (int i = 0; i < warps.length; i++) {
      warps[i] += other.warps[i];
      threads[i] += other.threads[i];
    }
  }

  /** How often each instruction was executed, in PTX order. */
  List<Executions> executions(Kernel kernel) {
    var list = new ArrayList<Executions>();
    for (int b = 0; b < warps.length; b++) {
      if (warps[b] == 0) continue;
      for (int site : kernel.blocks().get(b).sites()) {
        int line = kernel.sites().get(site).line();
        if (line > 0) list.add(new Executions(line, kernel.sites().get(site).text(), warps[b], threads[b]));
      }
    }
    list.sort(Comparator.comparingInt(Executions::line));
    return list;
  }

  /** Executions by class of instruction, most frequent first. */
  List<ClassCount> classes(Kernel kernel) {
    var byWarp = new EnumMap<InstructionClass, Long>(InstructionClass.class);
    var byThread = new EnumMap<InstructionClass, Long>(InstructionClass.class);
    for (int b = 0; b < warps.length; b++) {
      if (warps[b] == 0) continue;
      for (int site : kernel.blocks().get(b).sites()) {
        var kind = kernel.sites().get(site).kind();
        byWarp.merge(kind, warps[b], Long::sum);
        byThread.merge(kind, threads[b], Long::sum);
      }
    }
    var list = new ArrayList<ClassCount>();
    byWarp.forEach((kind, n) -> list.add(new ClassCount(kind.toString(), n, byThread.get(kind))));
    list.sort(Comparator.comparingLong(ClassCount::threads).reversed().thenComparing(ClassCount::name));
    return list;
  }
}
