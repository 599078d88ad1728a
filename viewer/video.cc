// SPDX-License-Identifier: MIT
#include "viewer/video.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

extern char** environ;

namespace rigor::viewer {
namespace {

bool isInstalled(const std::string& program) {
  const char* path = std::getenv("PATH");
  std::string folders = path ? path : "";
  for (std::size_t begin = 0; begin <= folders.size();) {
    const std::size_t end = std::min(folders.find(':', begin), folders.size());
    const std::string candidate = folders.substr(begin, end - begin) + "/" + program;
    if (access(candidate.c_str(), X_OK) == 0) return true;
    begin = end + 1;
  }
  return false;
}

}  // namespace

VideoWriter::VideoWriter(const std::string& path, int width, int height, double fps)
    : path_(path), width_(width), height_(height) {
  if (!isInstalled("ffmpeg")) {
    note_ = fmt::format("ffmpeg is not installed: frames go to {}-000001.png and so on",
                        std::filesystem::path(path).replace_extension().string());
    return;
  }
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw ImageError(std::string("cannot start ffmpeg: ") + std::strerror(errno));
  const std::string size = fmt::format("{}x{}", width, height), rate = fmt::format("{}", fps);
  const char* arguments[] = {"ffmpeg",   "-y",         "-loglevel",  "error",
                             "-f",       "rawvideo",   "-pix_fmt",   "rgba",
                             "-s",       size.c_str(), "-r",         rate.c_str(),
                             "-i",       "-",          "-vf",        "pad=ceil(iw/2)*2:ceil(ih/2)*2",
                             "-pix_fmt", "yuv420p",    path.c_str(), nullptr};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
  pid_t child;
  const int error = posix_spawnp(&child, "ffmpeg", &actions, nullptr, const_cast<char**>(arguments), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[0]);
  if (error != 0) {
    close(ends[1]);
    throw ImageError(std::string("cannot start ffmpeg: ") + std::strerror(error));
  }
  pipe_ = ends[1];
  process_ = child;
  signal(SIGPIPE, SIG_IGN);  // ffmpeg's end is found by finish().
}

VideoWriter::~VideoWriter() {
  if (pipe_ >= 0) close(pipe_);
  if (process_ > 0) waitpid(process_, nullptr, 0);
}

void VideoWriter::add(const Image& frame) {
  if (frame.width != width_ || frame.height != height_) throw ImageError("a frame of a video has another size");
  ++frames_;
  if (pipe_ < 0) {
    writePng(frame, fmt::format("{}-{:06}.png", std::filesystem::path(path_).replace_extension().string(), frames_));
    return;
  }
  for (std::size_t done = 0; done < frame.rgba.size();) {
    const ssize_t written = write(pipe_, frame.rgba.data() + done, frame.rgba.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      finish();  // Says why, if ffmpeg did.
      throw ImageError("cannot write " + path_ + ": ffmpeg ended early");
    }
    done += static_cast<std::size_t>(written);
  }
}

void VideoWriter::finish() {
  if (pipe_ < 0) return;
  close(pipe_);
  pipe_ = -1;
  int status = 0;
  waitpid(process_, &status, 0);
  process_ = -1;
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) throw ImageError("ffmpeg could not write " + path_);
}

}  // namespace rigor::viewer
