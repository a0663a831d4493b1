package tilewright.ops.collectives;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/** A file of the number of ranks and the id. */
record FileRendezvous(Path file) implements Rendezvous {
  private static final int BYTES = Integer.BYTES + Nccl.UNIQUE_ID_BYTES;
  private static final long POLL_NANOS = 10_000_000;

  @Override
  public byte[] exchange(int rank, int size, Supplier<byte[]> id, CollectiveOptions options) {
    try {
      return rank == 0 ? write(size, id.get()) : read(rank, size, options);
    } catch (IOException e) {
      throw new UncheckedIOException("the ranks cannot meet in " + file + ": " + e.getMessage(), e);
    }
  }

  /** Others see all of the file, or nothing. */
  private byte[] write(int size, byte[] id) throws IOException {
    var bytes = ByteBuffer.allocate(BYTES).putInt(size).put(id).array();
    var whole = file.resolveSibling(file.getFileName() + ".tmp");
    if (Files.exists(file)) {
      throw new CollectiveException(file + " exists already, perhaps of a run that ended early: remove it, or name a "
          + "file of this run alone");
    }
    Files.write(whole, bytes);
    Files.move(whole, file, StandardCopyOption.ATOMIC_MOVE);
    return id;
  }

  private byte[] read(int rank, int size, CollectiveOptions options) throws IOException {
    var deadline = Deadline.in(options.timeout());
    var bytes = content();
    while (bytes.isEmpty()) {
      if (deadline.isOver()) {
        throw new CollectiveException("rank " + rank + ": timeout after " + options.timeout()
            + " waiting for rank 0 to write " + file);
      }
      LockSupport.parkNanos(POLL_NANOS);
      bytes = content();
    }
    var content = ByteBuffer.wrap(bytes.get());
    if (content.remaining() != BYTES) {
      throw new CollectiveException(file + " has " + content.remaining() + " bytes, not " + BYTES
          + ": no rank 0 wrote it");
    }
    int others = content.getInt();
    if (others != size) {
      throw new CollectiveException("rank " + rank + " of " + size + ": rank 0 has " + others + " ranks");
    }
    var id = new byte[Nccl.UNIQUE_ID_BYTES];
    content.get(id);
    return id;
  }

  private Optional<byte[]> content() throws IOException {
    try {
      return Optional.of(Files.readAllBytes(file));
    } catch (NoSuchFileException _) {
      return Optional.empty();
    }
  }

  @Override
  public void joined(int rank) {
    if (rank != 0) return;
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot remove " + file + ": " + e.getMessage(), e);
    }
  }
}
