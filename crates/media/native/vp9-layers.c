// Encodes raw pictures with libvpx's VP9 in spatial and temporal layers. ffmpeg's encoder of VP9 has no spatial layers, so
// `jettison media encode` starts this program, which scripts/media-deps.sh compiles.
//
// The caller decides what refers to what: each picture comes with a plan of which buffers its layers read and write. So
// the structures (L1T3, L3T3_KEY, …) are described once, in crates/media/src/structure.rs.
//
//   vp9-layers --version
//   vp9-layers WIDTH HEIGHT RATE_NUMERATOR RATE_DENOMINATOR SPATIAL TEMPORAL INTER_LAYER SPEED KBIT…
//
// INTER_LAYER is libvpx's VP9E_SET_SVC_INTER_LAYER_PRED: 0 in each frame, 1 never, 2 in key frames only. KBIT has one rate
// for each pair of layers, spatial layers outside: that of the spatial layer with all temporal layers up to this one.
//
// Standard input, for each picture: a plan of 2 + 3 × SPATIAL bytes (1 for a key frame, temporal layer; for each spatial
// layer the buffer of the earlier picture, the buffer of the layer below, NONE for either; a mask of the buffers to
// write), then the picture in I420. Standard output: an IVF file with a superframe per picture.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vpx/vp8cx.h>
#include <vpx/vpx_encoder.h>

#define MOST_SPATIAL 3
#define MOST_TEMPORAL 3
#define NONE 255

static void fail(const char *what, vpx_codec_ctx_t *codec) {
  const char *detail = codec ? vpx_codec_error_detail(codec) : NULL;
  const char *error = codec ? vpx_codec_error(codec) : "";
  fprintf(stderr, "vp9-layers: %s%s%s%s%s\n", what, codec ? ": " : "", error, detail ? ": " : "", detail ? detail : "");
  exit(1);
}

static int number(const char *text, int least, int most) {
  char *end;
  long value = strtol(text, &end, 10);
  if (*text == 0 || *end != 0 || value < least || value > most) {
    fprintf(stderr, "vp9-layers: must be an integer in [%d, %d]: %s\n", least, most, text);
    exit(2);
  }
  return (int)value;
}

static void put(uint8_t *to, uint64_t value, int bytes) {
  for (int i = 0; i < bytes; i++) to[i] = (uint8_t)(value >> (8 * i));
}

static void write_all(const void *bytes, size_t length) {
  if (fwrite(bytes, 1, length, stdout) != length) fail("cannot write to standard output", NULL);
}

// Reads `length` bytes; returns 0 at the end of the input before the first of them.
static int read_all(void *bytes, size_t length) {
  size_t got = fread(bytes, 1, length, stdin);
  if (got != 0 && got != length) fail("standard input ends within a picture", NULL);
  return got == length;
}

static void read_plane(vpx_image_t *image, int plane, int width, int height) {
  for (int row = 0; row < height; row++) {
    uint8_t *line = image->planes[plane] + (size_t)row * image->stride[plane];
    if (!read_all(line, (size_t)width)) fail("standard input ends within a picture", NULL);
  }
}

static void control(vpx_codec_ctx_t *codec, vpx_codec_err_t status, const char *what) {
  if (status != VPX_CODEC_OK) fail(what, codec);
}

int main(int count, char **arguments) {
  if (count == 2 && strcmp(arguments[1], "--version") == 0) {
    printf("libvpx %s\n", vpx_codec_version_str());
    return 0;
  }
  if (count < 9) {
    fprintf(stderr, "vp9-layers: see the head of vp9-layers.c for its arguments\n");
    return 2;
  }
  const int width = number(arguments[1], 16, 16384), height = number(arguments[2], 16, 16384);
  const int rate_numerator = number(arguments[3], 1, 1000000), rate_denominator = number(arguments[4], 1, 1000000);
  const int spatial = number(arguments[5], 1, MOST_SPATIAL), temporal = number(arguments[6], 1, MOST_TEMPORAL);
  const int inter_layer = number(arguments[7], 0, 2), speed = number(arguments[8], 0, 9);
  if (count != 9 + spatial * temporal) {
    fprintf(stderr, "vp9-layers: must have %d rates, got %d\n", spatial * temporal, count - 9);
    return 2;
  }

  vpx_codec_enc_cfg_t config;
  if (vpx_codec_enc_config_default(vpx_codec_vp9_cx(), &config, 0)) fail("no default configuration", NULL);
  config.g_w = (unsigned)width;
  config.g_h = (unsigned)height;
  config.g_timebase.num = rate_denominator;
  config.g_timebase.den = rate_numerator;
  config.g_threads = 1; // the same bytes on every machine
  config.g_lag_in_frames = 0;
  // With layers, no frame may take probabilities from one that a router may have dropped.
  config.g_error_resilient = spatial * temporal > 1;
  config.kf_mode = VPX_KF_DISABLED; // the plan says which are
  config.rc_end_usage = VPX_CBR;
  config.rc_dropframe_thresh = 0;
  config.rc_min_quantizer = 2;
  config.rc_max_quantizer = 58;
  config.rc_undershoot_pct = 50;
  config.rc_overshoot_pct = 50;
  config.rc_buf_sz = 1000;
  config.rc_buf_initial_sz = 500;
  config.rc_buf_optimal_sz = 600;
  config.ss_number_layers = (unsigned)spatial;
  config.ts_number_layers = (unsigned)temporal;
  // Without layers libvpx spends a small part of its bitrate if it is told to bypass, so then it is not told anything of
  // layers, and chooses the references itself.
  const int has_layers = spatial * temporal > 1;
  if (has_layers) config.temporal_layering_mode = VP9E_TEMPORAL_LAYERING_MODE_BYPASS;
  // The share of pictures up to a temporal layer: one in four, one in two, all.
  for (int t = 0; t < temporal; t++) config.ts_rate_decimator[t] = 1u << (temporal - 1 - t);
  config.rc_target_bitrate = 0;
  for (int s = 0; s < spatial; s++) {
    for (int t = 0; t < temporal; t++) {
      const int layer = s * temporal + t;
      config.layer_target_bitrate[layer] = (unsigned)number(arguments[9 + layer], 1, 1000000);
    }
    config.ss_target_bitrate[s] = config.layer_target_bitrate[s * temporal + temporal - 1];
    config.rc_target_bitrate += config.ss_target_bitrate[s];
  }

  vpx_codec_ctx_t codec;
  if (vpx_codec_enc_init(&codec, vpx_codec_vp9_cx(), &config, 0)) fail("cannot start libvpx", &codec);
  control(&codec, vpx_codec_control(&codec, VP8E_SET_CPUUSED, speed), "speed");
  control(&codec, vpx_codec_control(&codec, VP9E_SET_AQ_MODE, 3), "adaptive quantisation");
  control(&codec, vpx_codec_control(&codec, VP9E_SET_TILE_COLUMNS, 0), "tiles");
  if (has_layers) control(&codec, vpx_codec_control(&codec, VP9E_SET_SVC, 1), "layers");
  vpx_svc_extra_cfg_t layers;
  memset(&layers, 0, sizeof layers);
  for (int s = 0; s < spatial; s++) {
    for (int t = 0; t < temporal; t++) {
      layers.max_quantizers[s * temporal + t] = (int)config.rc_max_quantizer;
      layers.min_quantizers[s * temporal + t] = (int)config.rc_min_quantizer;
    }
    layers.scaling_factor_num[s] = 1;
    layers.scaling_factor_den[s] = 1 << (spatial - 1 - s);
    layers.speed_per_layer[s] = speed;
  }
  if (has_layers) {
    control(&codec, vpx_codec_control(&codec, VP9E_SET_SVC_PARAMETERS, &layers), "parameters of layers");
    control(&codec, vpx_codec_control(&codec, VP9E_SET_SVC_INTER_LAYER_PRED, (unsigned)inter_layer), "prediction");
  }

  vpx_image_t image;
  if (!vpx_img_alloc(&image, VPX_IMG_FMT_I420, (unsigned)width, (unsigned)height, 1)) fail("out of memory", NULL);

  uint8_t head[32] = "DKIF";
  put(head + 6, sizeof head, 2);
  memcpy(head + 8, "VP90", 4);
  put(head + 12, (uint64_t)width, 2);
  put(head + 14, (uint64_t)height, 2);
  put(head + 16, (uint64_t)rate_numerator, 4);
  put(head + 20, (uint64_t)rate_denominator, 4);
  write_all(head, sizeof head);

  uint8_t plan[2 + 3 * MOST_SPATIAL];
  for (int64_t picture = 0; read_all(plan, (size_t)(2 + 3 * spatial)); picture++) {
    read_plane(&image, 0, width, height);
    read_plane(&image, 1, (width + 1) / 2, (height + 1) / 2);
    read_plane(&image, 2, (width + 1) / 2, (height + 1) / 2);

    vpx_svc_layer_id_t id;
    vpx_svc_ref_frame_config_t references;
    memset(&id, 0, sizeof id);
    memset(&references, 0, sizeof references);
    id.temporal_layer_id = plan[1];
    for (int s = 0; s < spatial; s++) {
      const uint8_t *of_layer = plan + 2 + 3 * s;
      const int earlier = of_layer[0], below = of_layer[1];
      // The header of a frame names three buffers, used or not: those that are not used repeat one that is.
      const int any = earlier != NONE ? earlier : below != NONE ? below : s;
      id.temporal_layer_id_per_spatial[s] = plan[1];
      references.lst_fb_idx[s] = earlier != NONE ? earlier : any;
      references.gld_fb_idx[s] = below != NONE ? below : any;
      references.alt_fb_idx[s] = any;
      references.reference_last[s] = earlier != NONE;
      references.reference_golden[s] = below != NONE;
      references.update_buffer_slot[s] = of_layer[2];
      references.duration[s] = 1;
    }
    if (has_layers) {
      control(&codec, vpx_codec_control(&codec, VP9E_SET_SVC_LAYER_ID, &id), "layer of the picture");
      control(&codec, vpx_codec_control(&codec, VP9E_SET_SVC_REF_FRAME_CONFIG, &references), "references");
    }
    if (vpx_codec_encode(&codec, &image, picture, 1, plan[0] ? VPX_EFLAG_FORCE_KF : 0, VPX_DL_REALTIME)) {
      fail("cannot encode", &codec);
    }
    vpx_codec_iter_t iterator = NULL;
    const vpx_codec_cx_pkt_t *packet;
    while ((packet = vpx_codec_get_cx_data(&codec, &iterator)) != NULL) {
      if (packet->kind != VPX_CODEC_CX_FRAME_PKT) continue;
      uint8_t of_frame[12];
      put(of_frame, packet->data.frame.sz, 4);
      put(of_frame + 4, (uint64_t)packet->data.frame.pts, 8);
      write_all(of_frame, sizeof of_frame);
      write_all(packet->data.frame.buf, packet->data.frame.sz);
    }
    if (fflush(stdout)) fail("cannot write to standard output", NULL);
  }
  vpx_img_free(&image);
  vpx_codec_destroy(&codec);
  return 0;
}
