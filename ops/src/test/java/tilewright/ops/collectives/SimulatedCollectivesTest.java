package tilewright.ops.collectives;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import java.util.List;
import org.junit.jupiter.api.Test;
import tilewright.ops.Ops;

class SimulatedCollectivesTest extends CollectiveContract {
  SimulatedCollectivesTest() {
    super(3, HASTY);
  }

  @Override
  List<Communicator> open(int size, CollectiveOptions options) {
    return Communicator.among(Ops.simulators(size), options);
  }

  @Test
  void whatIsNotJoinedHasNotCome() {
    RankThreads.run(open(2, PATIENT), rank -> {
      var x = rank.ops().ints(new int[] {rank.rank()}, 1);
      var work = rank.start(() -> rank.broadcast(x, 1));
      assertArrayEquals(new int[] {rank.rank()}, x.ints());
      work.join();
      assertArrayEquals(new int[] {1}, x.ints());
      return true;
    });
  }

  @Test
  void twoThatSendAndDoNotReceiveFailInTime() {
    var outcomes = Ranks.outcomes(open(2, HASTY), rank -> {
      rank.send(rank.ops().ints(new int[1], 1), 1 - rank.rank());
      return "done";
    });
    for (var outcome : outcomes) assertMessage("to receive from rank", outcome);
  }
}
