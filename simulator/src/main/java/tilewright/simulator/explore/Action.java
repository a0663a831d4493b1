package tilewright.simulator.explore;

import tilewright.simulator.core.SyncObject;
import tilewright.simulator.core.SyncTrace.Use;

/**
 * What a step did to one object.
 *
 * @param phase the number of phases that were over before
 * @param completes whether it completed that phase
 */
public record Action(SyncObject object, Use use, long phase, boolean completes) {
  /** How an action depends on one that another agent made before it. */
  enum Relation {
    NONE,
    /** It cannot come before the other. */
    AFTER,
    /** It could come before the other too, and that makes a difference. */
    RACE
  }

  /** The phases by which two waits by parity that both pass differ. */
  private static final int TURN = 2;

  /** Whether it takes part in the completion of its phase. */
  boolean arrives() {
    return use == Use.ARRIVE || use == Use.EXPECT;
  }

  /** Whether it asks for a phase, and so learns nothing of arrivals in the current one. */
  boolean asks() {
    return use == Use.WAIT || use == Use.POLL;
  }

  /** Relates this action to an earlier one on the same object. */
  Relation to(Action earlier) {
    if (!object.kind().hasPhases()) return toAccess(earlier);
    if (use == Use.BLOCK || earlier.use == Use.BLOCK) return Relation.NONE;
    if (use == Use.WRITE || earlier.use == Use.WRITE) return Relation.RACE;
    if (use == Use.RESUME) return earlier.arrives() && earlier.phase < phase ? Relation.AFTER : Relation.NONE;
    if (asks() && earlier.arrives() && earlier.phase < phase) {
      boolean reversible = use == Use.POLL || earlier.phase == phase - TURN;
      return reversible ? Relation.RACE : Relation.AFTER;
    }
    if (arrives() && earlier.arrives()) {
      if (object.kind().isNumbered()) return Relation.NONE;
      return earlier.phase < phase || use != earlier.use ? Relation.RACE : Relation.NONE;
    }
    return arrives() && earlier.asks() && earlier.phase < phase ? Relation.AFTER : Relation.NONE;
  }

  private Relation toAccess(Action earlier) {
    boolean commute = use == earlier.use && use != Use.WRITE;
    return commute ? Relation.NONE : Relation.RACE;
  }

  /** Whether it would do something else, or to another effect, behind a step that did the other action. */
  boolean heeds(Action done) {
    if (!object.equals(done.object)) return false;
    if (!object.kind().hasPhases()) return toAccess(done) != Relation.NONE;
    if (use == Use.WRITE || done.use == Use.WRITE || done.completes) return true;
    // Behind other arrivals it may complete the phase, even if it did not before.
    if (done.asks()) return arrives();
    return arrives() && done.arrives() && (completes || use != done.use);
  }
}
