package tilewright.kernel;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;

/**
 * Launches by the problem that they were prepared for, so that an equal problem is configured and traced once. Holds
 * the most recently used ones; any thread may ask, and waits for one that is being prepared. Plans are kept in memory
 * only: what takes long to make of them, machine code, a GPU keeps on disk by PTX and driver.
 *
 * @param <P> problems with equality, such as records
 */
public final class PlanCache<P> {
  private final Function<P, PreparedLaunch> prepare;
  private final Map<P, PreparedLaunch> plans;

  /**
   * @param capacity plans to keep, at least one
   * @param prepare plans a problem, such as {@code Gemm::sm80}
   */
  public PlanCache(int capacity, Function<P, PreparedLaunch> prepare) {
    if (capacity < 1) throw new IllegalArgumentException("invalid capacity of " + capacity + " plans: 1 or more");
    this.prepare = prepare;
    this.plans = new LinkedHashMap<>(16, 0.75f, true) {
      private static final long serialVersionUID = 1;

      @Override
      protected boolean removeEldestEntry(Map.Entry<P, PreparedLaunch> eldest) {
        return size() > capacity;
      }
    };
  }

  /** The plan for a problem; what fails to be prepared is not kept, and fails again. */
  public synchronized PreparedLaunch plan(P problem) {
    var known = plans.get(problem);
    if (known != null) return known;
    var plan = prepare.apply(problem);
    plans.put(problem, plan);
    return plan;
  }
}
