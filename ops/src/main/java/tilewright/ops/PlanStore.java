package tilewright.ops;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Loaded plans by their problems, the most recently used ones. A thread waits for a plan that another one prepares, and
 * not for plans of other problems.
 */
final class PlanStore {
  private static final int CAPACITY = 1024;

  private final Map<Object, Prepared> plans = new LinkedHashMap<>(16, 0.75f, true) {
    private static final long serialVersionUID = 1;

    @Override
    protected boolean removeEldestEntry(Map.Entry<Object, Prepared> eldest) {
      boolean full = size() > CAPACITY;
      if (full) eldest.getValue().close();
      return full;
    }
  };

  private static final class Prepared {
    private final Supplier<Machine.Executable> prepare;
    private Machine.Executable executable;

    Prepared(Supplier<Machine.Executable> prepare) {
      this.prepare = prepare;
    }

    synchronized Machine.Executable get() {
      if (executable == null) executable = prepare.get();
      return executable;
    }

    synchronized void close() {
      if (executable != null) executable.close();
    }
  }

  /** The plan for a problem, prepared if need be; what fails to be prepared fails again. */
  Machine.Executable get(Object problem, Supplier<Machine.Executable> prepare) {
    Prepared entry;
    synchronized (plans) {
      entry = plans.computeIfAbsent(problem, _ -> new Prepared(prepare));
    }
    return entry.get();
  }
}
