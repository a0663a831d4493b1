package tilewright.cli;

import picocli.CommandLine.IVersionProvider;

/** Tilewright's version as its jar states it, and the Java that runs it. */
final class Version implements IVersionProvider {
  @Override
  public String[] getVersion() {
    var version = Version.class.getPackage().getImplementationVersion();
    var known = version == null ? "(not packaged)" : version;
    return new String[] {"tilewright " + known + ", Java " + Runtime.version()};
  }
}
