package tilewright.ops.collectives;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.TreeSet;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/** A question and an answer between each rank and rank 0. */
record TcpRendezvous(InetSocketAddress address) implements Rendezvous {
  /** The first word of a question, so that a stranger's is noticed. */
  private static final int MAGIC = 0x7469_6c65;
  private static final long RETRY_NANOS = 20_000_000;
  /** The time that rank 0 waits for a connection's question, which others wait through. */
  private static final int QUESTION_MILLIS = 2000;

  @Override
  public byte[] exchange(int rank, int size, Supplier<byte[]> id, CollectiveOptions options) {
    var deadline = Deadline.in(options.timeout());
    if (rank != 0) return ask(rank, size, deadline, options);
    try {
      return answer(size, id.get(), deadline, options);
    } catch (IOException e) {
      throw new UncheckedIOException("rank 0 cannot listen at " + address + ": " + e.getMessage(), e);
    }
  }

  private InetSocketAddress resolved() {
    return new InetSocketAddress(address.getHostString(), address.getPort());
  }

  private byte[] answer(int size, byte[] id, Deadline deadline, CollectiveOptions options) throws IOException {
    var absent = new TreeSet<>(IntStream.range(1, size).boxed().toList());
    try (var server = new ServerSocket()) {
      server.setReuseAddress(true);
      server.bind(resolved());
      while (!absent.isEmpty()) {
        server.setSoTimeout(deadline.leftMillis());
        try (var socket = server.accept()) {
          answer(socket, size, id, absent);
        } catch (SocketTimeoutException _) {
          // A stranger that says nothing, or the end.
        }
        if (deadline.isOver() && !absent.isEmpty()) {
          throw new CollectiveException("rank 0: timeout after " + options.timeout() + " waiting at " + address
              + " for ranks " + absent);
        }
      }
      return id;
    }
  }

  private static void answer(Socket socket, int size, byte[] id, TreeSet<Integer> absent) throws IOException {
    socket.setSoTimeout(QUESTION_MILLIS);
    var in = new DataInputStream(socket.getInputStream());
    var out = new DataOutputStream(socket.getOutputStream());
    try {
      if (in.readInt() != MAGIC) return;
      int rank = in.readInt();
      int ranks = in.readInt();
      if (ranks != size) {
        out.writeUTF("rank 0 has " + size + " ranks");
      } else if (!absent.remove(rank)) {
        out.writeUTF("rank 0 has had a rank " + rank + " already");
      } else {
        out.writeUTF("");
        out.write(id);
      }
    } catch (SocketTimeoutException e) {
      throw e;
    } catch (IOException _) {
      // The other has gone; it asks again, or is missed at the end.
    }
  }

  private byte[] ask(int rank, int size, Deadline deadline, CollectiveOptions options) {
    while (!deadline.isOver()) {
      try (var socket = new Socket()) {
        socket.connect(resolved(), deadline.leftMillis());
        socket.setSoTimeout(deadline.leftMillis());
        var out = new DataOutputStream(socket.getOutputStream());
        out.writeInt(MAGIC);
        out.writeInt(rank);
        out.writeInt(size);
        var in = new DataInputStream(socket.getInputStream());
        var refusal = in.readUTF();
        if (!refusal.isEmpty()) throw new CollectiveException("rank " + rank + " of " + size + ": " + refusal);
        return in.readNBytes(Nccl.UNIQUE_ID_BYTES);
      } catch (IOException _) {
        // Rank 0 does not listen yet.
        LockSupport.parkNanos(RETRY_NANOS);
      }
    }
    throw new CollectiveException("rank " + rank + ": timeout after " + options.timeout() + " waiting for rank 0 at "
        + address);
  }

  @Override
  public void joined(int rank) {}
}
