package tilewright.ops.collectives;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.function.Supplier;

/** A way for processes to learn the unique id that rank 0 makes. */
public sealed interface Rendezvous permits FileRendezvous, TcpRendezvous {

  /** A file that all processes see. Rank 0 writes it, and removes it once all have joined: each run has its own. */
  static Rendezvous file(Path file) {
    return new FileRendezvous(file);
  }

  /** A port of rank 0's host, where rank 0 listens until all others have asked. */
  static Rendezvous tcp(String host, int port) {
    return new TcpRendezvous(InetSocketAddress.createUnresolved(host, port));
  }

  /**
   * Makes the id on rank 0, and gives it to the others.
   *
   * @throws CollectiveException when that takes too long, or a process says something else than the others
   */
  byte[] exchange(int rank, int size, Supplier<byte[]> id, CollectiveOptions options);

  /** Called when all ranks have joined. */
  void joined(int rank);
}
