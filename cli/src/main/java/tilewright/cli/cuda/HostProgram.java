package tilewright.cli.cuda;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import tilewright.cli.io.CommandFailure;

/** A program that runs with the simulator as its GPU. */
final class HostProgram {
  private final SimulatedDevice device;
  private final Watching watching;
  private final Report report;
  private final Path library;

  /** @param library the folder of the {@link RuntimeLibrary} */
  HostProgram(SimulatedDevice device, Watching watching, Report report, Path library) {
    this.device = device;
    this.watching = watching;
    this.report = report;
    this.library = library;
  }

  /**
   * Runs the program to its end and returns its exit status.
   *
   * @param command names the program and its arguments; it says where output goes
   */
  int run(ProcessBuilder command) {
    try {
      var folder = Files.createTempDirectory("tilewright-cuda");
      var socket = folder.resolve("socket");
      try (var server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
        server.bind(UnixDomainSocketAddress.of(socket));
        var environment = command.environment();
        environment.put("TILEWRIGHT_CUDA_SOCKET", socket.toString());
        environment.merge("LD_LIBRARY_PATH", library.toString(), (others, own) -> own + ":" + others);
        var sessions = new ArrayList<Thread>();
        var acceptor = Thread.ofPlatform().daemon().name("cuda-acceptor").start(() -> accept(server, sessions));
        int status = start(command).waitFor();
        server.close();
        acceptor.join();
        // What a process sent before its end is still to be reported.
        for (var session : sessions) session.join();
        return status;
      } finally {
        Files.deleteIfExists(socket);
        Files.delete(folder);
      }
    } catch (IOException e) {
      throw CommandFailure.environmentLacks("cannot talk to the program: " + e.getMessage());
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      throw CommandFailure.environmentLacks("interrupted");
    }
  }

  private static Process start(ProcessBuilder command) {
    try {
      return command.start();
    } catch (IOException e) {
      throw CommandFailure.badInput("cannot run " + command.command().getFirst() + ": " + e.getMessage());
    }
  }

  private void accept(ServerSocketChannel server, List<Thread> sessions) {
    try {
      while (true) {
        var channel = server.accept();
        sessions.add(Thread.ofPlatform().name("cuda-session").start(() -> serve(channel)));
      }
    } catch (AsynchronousCloseException _) {
      // The program has ended.
    } catch (IOException e) {
      report.refused("no connection to the program: " + e.getMessage());
    }
  }

  private void serve(SocketChannel channel) {
    try {
      Session.serve(channel, device, watching, report);
    } catch (IOException e) {
      report.refused("the connection to the program broke: " + e.getMessage());
    }
  }
}
