package tilewright.ops.collectives;

import java.util.List;
import tilewright.ops.Ops;

/**
 * One rank's captured calls, transfers among them.
 *
 * @param replayed transfers that simulators make
 */
record CapturedTransfers(Transport transport, Ops.Captured calls, List<ReplayedTransfers> replayed)
    implements Ops.Captured {
  @Override
  public void replay() {
    transport.beforeReplay();
    calls.replay();
  }

  @Override
  public void close() {
    calls.close();
    replayed.forEach(ReplayedTransfers::close);
    transport.forget(this);
  }
}
