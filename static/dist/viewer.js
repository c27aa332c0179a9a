(() => {
const vendor = {};
vendor.cytoscape = (() => { const module = { exports: {} }, exports = module.exports;
/**
 * Copyright (c) 2016-2026, The Cytoscape Consortium.
 *
 * Permission is hereby granted, free of charge, to any person obtaining a copy of
 * this software and associated documentation files (the "Software"), to deal in
 * the Software without restriction, including without limitation the rights to
 * use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies
 * of the Software, and to permit persons to whom the Software is furnished to do
 * so, subject to the following conditions:
 *
 * The above copyright notice and this permission notice shall be included in all
 * copies or substantial portions of the Software.
 *
 * THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
 * IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
 * FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
 * AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
 * LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
 * OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
 * SOFTWARE.
 */

!function(e,t){"object"==typeof exports&&"undefined"!=typeof module?module.exports=t():"function"==typeof define&&define.amd?define(t):(e="undefined"!=typeof globalThis?globalThis:e||self).cytoscape=t()}(this,(function(){"use strict";function e(e,t){(null==t||t>e.length)&&(t=e.length);for(var n=0,r=Array(t);n<t;n++)r[n]=e[n];return r}function t(e,t){if(!(e instanceof t))throw new TypeError("Cannot call a class as a function")}function n(e,t,n){return t&&function(e,t){for(var n=0;n<t.length;n++){var r=t[n];r.enumerable=r.enumerable||!1,r.configurable=!0,"value"in r&&(r.writable=!0),Object.defineProperty(e,s(r.key),r)}}(e.prototype,t),Object.defineProperty(e,"prototype",{writable:!1}),e}function r(e,t){var n="undefined"!=typeof Symbol&&e[Symbol.iterator]||e["@@iterator"];if(!n){if(Array.isArray(e)||(n=u(e))||t){n&&(e=n);var r=0,a=function(){};return{s:a,n:function(){return r>=e.length?{done:!0}:{done:!1,value:e[r++]}},e:function(e){throw e},f:a}}throw new TypeError("Invalid attempt to iterate non-iterable instance.\nIn order to be iterable, non-array objects must have a [Symbol.iterator]() method.")}var i,o=!0,s=!1;return{s:function(){n=n.call(e)},n:function(){var e=n.next();return o=e.done,e},e:function(e){s=!0,i=e},f:function(){try{o||null==n.return||n.return()}finally{if(s)throw i}}}}function a(e,t,n){return(t=s(t))in e?Object.defineProperty(e,t,{value:n,enumerable:!0,configurable:!0,writable:!0}):e[t]=n,e}function i(e,t){return function(e){if(Array.isArray(e))return e}(e)||function(e,t){var n=null==e?null:"undefined"!=typeof Symbol&&e[Symbol.iterator]||e["@@iterator"];if(null!=n){var r,a,i,o,s=[],l=!0,u=!1;try{if(i=(n=n.call(e)).next,0===t){if(Object(n)!==n)return;l=!1}else for(;!(l=(r=i.call(n)).done)&&(s.push(r.value),s.length!==t);l=!0);}catch(e){u=!0,a=e}finally{try{if(!l&&null!=n.return&&(o=n.return(),Object(o)!==o))return}finally{if(u)throw a}}return s}}(e,t)||u(e,t)||function(){throw new TypeError("Invalid attempt to destructure non-iterable instance.\nIn order to be iterable, non-array objects must have a [Symbol.iterator]() method.")}()}function o(t){return function(t){if(Array.isArray(t))return e(t)}(t)||function(e){if("undefined"!=typeof Symbol&&null!=e[Symbol.iterator]||null!=e["@@iterator"])return Array.from(e)}(t)||u(t)||function(){throw new TypeError("Invalid attempt to spread non-iterable instance.\nIn order to be iterable, non-array objects must have a [Symbol.iterator]() method.")}()}function s(e){var t=function(e,t){if("object"!=typeof e||!e)return e;var n=e[Symbol.toPrimitive];if(void 0!==n){var r=n.call(e,t);if("object"!=typeof r)return r;throw new TypeError("@@toPrimitive must return a primitive value.")}return String(e)}(e,"string");return"symbol"==typeof t?t:t+""}function l(e){return l="function"==typeof Symbol&&"symbol"==typeof Symbol.iterator?function(e){return typeof e}:function(e){return e&&"function"==typeof Symbol&&e.constructor===Symbol&&e!==Symbol.prototype?"symbol":typeof e},l(e)}function u(t,n){if(t){if("string"==typeof t)return e(t,n);var r={}.toString.call(t).slice(8,-1);return"Object"===r&&t.constructor&&(r=t.constructor.name),"Map"===r||"Set"===r?Array.from(t):"Arguments"===r||/^(?:Ui|I)nt(?:8|16|32)(?:Clamped)?Array$/.test(r)?e(t,n):void 0}}var c="undefined"==typeof window?null:window,d=c?c.navigator:null;c&&c.document;var h,f,p,g,v,y,m,b,x,w,E,k,T,C,P,S,B,D,_,A,M,R,I,N,L,z,O,V,F=l(""),X=l({}),j=l((function(){})),Y="undefined"==typeof HTMLElement?"undefined":l(HTMLElement),q=function(e){return e&&e.instanceString&&U(e.instanceString)?e.instanceString():null},W=function(e){return null!=e&&l(e)==F},U=function(e){return null!=e&&l(e)===j},H=function(e){return!Q(e)&&(Array.isArray?Array.isArray(e):null!=e&&e instanceof Array)},K=function(e){return null!=e&&l(e)===X&&!H(e)&&e.constructor===Object},G=function(e){return null!=e&&l(e)===l(1)&&!isNaN(e)},Z=function(e){return G(e)&&Math.floor(e)===e},$=function(e){return"undefined"===Y?void 0:null!=e&&e instanceof HTMLElement},Q=function(e){return J(e)||ee(e)},J=function(e){return"collection"===q(e)&&e._private.single},ee=function(e){return"collection"===q(e)&&!e._private.single},te=function(e){return"core"===q(e)},ne=function(e){return"stylesheet"===q(e)},re=function(e){return null==e||!(""!==e&&!e.match(/^\s+$/))},ae=function(e){return function(e){return null!=e&&l(e)===X}(e)&&U(e.then)},ie=function(e,t){t||(t=function(){if(1===arguments.length)return arguments[0];if(0===arguments.length)return"undefined";for(var e=[],t=0;t<arguments.length;t++)e.push(arguments[t]);return e.join("$")});var n=function(){var r,a=arguments,i=t.apply(this,a),o=n.cache;return(r=o[i])||(r=o[i]=e.apply(this,a)),r};return n.cache={},n},oe=ie((function(e){return e.replace(/([A-Z])/g,(function(e){return"-"+e.toLowerCase()}))})),se=ie((function(e){return e.replace(/(-\w)/g,(function(e){return e[1].toUpperCase()}))})),le=ie((function(e,t){return e+t[0].toUpperCase()+t.substring(1)}),(function(e,t){return e+"$"+t})),ue=function(e){return re(e)?e:e.charAt(0).toUpperCase()+e.substring(1)},ce=function(e,t){return e.slice(-1*t.length)===t},de="(?:[-+]?(?:(?:\\d+|\\d*\\.\\d+)(?:[Ee][+-]?\\d+)?))",he="rgb[a]?\\(("+de+"[%]?)\\s*,\\s*("+de+"[%]?)\\s*,\\s*("+de+"[%]?)(?:\\s*,\\s*("+de+"))?\\)",fe="rgb[a]?\\((?:"+de+"[%]?)\\s*,\\s*(?:"+de+"[%]?)\\s*,\\s*(?:"+de+"[%]?)(?:\\s*,\\s*(?:"+de+"))?\\)",pe="hsl[a]?\\(("+de+")\\s*,\\s*("+de+"[%])\\s*,\\s*("+de+"[%])(?:\\s*,\\s*("+de+"))?\\)",ge="hsl[a]?\\((?:"+de+")\\s*,\\s*(?:"+de+"[%])\\s*,\\s*(?:"+de+"[%])(?:\\s*,\\s*(?:"+de+"))?\\)",ve=function(e,t){return e<t?-1:e>t?1:0},ye=null!=Object.assign?Object.assign.bind(Object):function(e){for(var t=arguments,n=1;n<t.length;n++){var r=t[n];if(null!=r)for(var a=Object.keys(r),i=0;i<a.length;i++){var o=a[i];e[o]=r[o]}}return e},me=function(e){return(H(e)?e:null)||function(e){return be[e.toLowerCase()]}(e)||function(e){if((4===e.length||7===e.length)&&"#"===e[0]){var t,n,r,a=16;return 4===e.length?(t=parseInt(e[1]+e[1],a),n=parseInt(e[2]+e[2],a),r=parseInt(e[3]+e[3],a)):(t=parseInt(e[1]+e[2],a),n=parseInt(e[3]+e[4],a),r=parseInt(e[5]+e[6],a)),[t,n,r]}}(e)||function(e){var t,n=new RegExp("^"+he+"$").exec(e);if(n){t=[];for(var r=[],a=1;a<=3;a++){var i=n[a];if("%"===i[i.length-1]&&(r[a]=!0),i=parseFloat(i),r[a]&&(i=i/100*255),i<0||i>255)return;t.push(Math.floor(i))}var o=r[1]||r[2]||r[3],s=r[1]&&r[2]&&r[3];if(o&&!s)return;var l=n[4];if(void 0!==l){if((l=parseFloat(l))<0||l>1)return;t.push(l)}}return t}(e)||function(e){var t,n,r,a,i,o,s,l;function u(e,t,n){return n<0&&(n+=1),n>1&&(n-=1),n<1/6?e+6*(t-e)*n:n<.5?t:n<2/3?e+(t-e)*(2/3-n)*6:e}var c=new RegExp("^"+pe+"$").exec(e);if(c){if((n=parseInt(c[1]))<0?n=(360- -1*n%360)%360:n>360&&(n%=360),n/=360,(r=parseFloat(c[2]))<0||r>100)return;if(r/=100,(a=parseFloat(c[3]))<0||a>100)return;if(a/=100,void 0!==(i=c[4])&&((i=parseFloat(i))<0||i>1))return;if(0===r)o=s=l=Math.round(255*a);else{var d=a<.5?a*(1+r):a+r-a*r,h=2*a-d;o=Math.round(255*u(h,d,n+1/3)),s=Math.round(255*u(h,d,n)),l=Math.round(255*u(h,d,n-1/3))}t=[o,s,l,i]}return t}(e)},be={transparent:[0,0,0,0],aliceblue:[240,248,255],antiquewhite:[250,235,215],aqua:[0,255,255],aquamarine:[127,255,212],azure:[240,255,255],beige:[245,245,220],bisque:[255,228,196],black:[0,0,0],blanchedalmond:[255,235,205],blue:[0,0,255],blueviolet:[138,43,226],brown:[165,42,42],burlywood:[222,184,135],cadetblue:[95,158,160],chartreuse:[127,255,0],chocolate:[210,105,30],coral:[255,127,80],cornflowerblue:[100,149,237],cornsilk:[255,248,220],crimson:[220,20,60],cyan:[0,255,255],darkblue:[0,0,139],darkcyan:[0,139,139],darkgoldenrod:[184,134,11],darkgray:[169,169,169],darkgreen:[0,100,0],darkgrey:[169,169,169],darkkhaki:[189,183,107],darkmagenta:[139,0,139],darkolivegreen:[85,107,47],darkorange:[255,140,0],darkorchid:[153,50,204],darkred:[139,0,0],darksalmon:[233,150,122],darkseagreen:[143,188,143],darkslateblue:[72,61,139],darkslategray:[47,79,79],darkslategrey:[47,79,79],darkturquoise:[0,206,209],darkviolet:[148,0,211],deeppink:[255,20,147],deepskyblue:[0,191,255],dimgray:[105,105,105],dimgrey:[105,105,105],dodgerblue:[30,144,255],firebrick:[178,34,34],floralwhite:[255,250,240],forestgreen:[34,139,34],fuchsia:[255,0,255],gainsboro:[220,220,220],ghostwhite:[248,248,255],gold:[255,215,0],goldenrod:[218,165,32],gray:[128,128,128],grey:[128,128,128],green:[0,128,0],greenyellow:[173,255,47],honeydew:[240,255,240],hotpink:[255,105,180],indianred:[205,92,92],indigo:[75,0,130],ivory:[255,255,240],khaki:[240,230,140],lavender:[230,230,250],lavenderblush:[255,240,245],lawngreen:[124,252,0],lemonchiffon:[255,250,205],lightblue:[173,216,230],lightcoral:[240,128,128],lightcyan:[224,255,255],lightgoldenrodyellow:[250,250,210],lightgray:[211,211,211],lightgreen:[144,238,144],lightgrey:[211,211,211],lightpink:[255,182,193],lightsalmon:[255,160,122],lightseagreen:[32,178,170],lightskyblue:[135,206,250],lightslategray:[119,136,153],lightslategrey:[119,136,153],lightsteelblue:[176,196,222],lightyellow:[255,255,224],lime:[0,255,0],limegreen:[50,205,50],linen:[250,240,230],magenta:[255,0,255],maroon:[128,0,0],mediumaquamarine:[102,205,170],mediumblue:[0,0,205],mediumorchid:[186,85,211],mediumpurple:[147,112,219],mediumseagreen:[60,179,113],mediumslateblue:[123,104,238],mediumspringgreen:[0,250,154],mediumturquoise:[72,209,204],mediumvioletred:[199,21,133],midnightblue:[25,25,112],mintcream:[245,255,250],mistyrose:[255,228,225],moccasin:[255,228,181],navajowhite:[255,222,173],navy:[0,0,128],oldlace:[253,245,230],olive:[128,128,0],olivedrab:[107,142,35],orange:[255,165,0],orangered:[255,69,0],orchid:[218,112,214],palegoldenrod:[238,232,170],palegreen:[152,251,152],paleturquoise:[175,238,238],palevioletred:[219,112,147],papayawhip:[255,239,213],peachpuff:[255,218,185],peru:[205,133,63],pink:[255,192,203],plum:[221,160,221],powderblue:[176,224,230],purple:[128,0,128],red:[255,0,0],rosybrown:[188,143,143],royalblue:[65,105,225],saddlebrown:[139,69,19],salmon:[250,128,114],sandybrown:[244,164,96],seagreen:[46,139,87],seashell:[255,245,238],sienna:[160,82,45],silver:[192,192,192],skyblue:[135,206,235],slateblue:[106,90,205],slategray:[112,128,144],slategrey:[112,128,144],snow:[255,250,250],springgreen:[0,255,127],steelblue:[70,130,180],tan:[210,180,140],teal:[0,128,128],thistle:[216,191,216],tomato:[255,99,71],turquoise:[64,224,208],violet:[238,130,238],wheat:[245,222,179],white:[255,255,255],whitesmoke:[245,245,245],yellow:[255,255,0],yellowgreen:[154,205,50]},xe=function(e){for(var t=e.map,n=e.keys,r=n.length,a=0;a<r;a++){var i=n[a];if(K(i))throw Error("Tried to set map with object key");a<n.length-1?(null==t[i]&&(t[i]={}),t=t[i]):t[i]=e.value}},we=function(e){for(var t=e.map,n=e.keys,r=n.length,a=0;a<r;a++){var i=n[a];if(K(i))throw Error("Tried to get map with object key");if(null==(t=t[i]))return t}return t},Ee="undefined"!=typeof globalThis?globalThis:"undefined"!=typeof window?window:"undefined"!=typeof global?global:"undefined"!=typeof self?self:{};function ke(e){return e&&e.__esModule&&Object.prototype.hasOwnProperty.call(e,"default")?e.default:e}function Te(){if(f)return h;return f=1,h=function(e){var t=typeof e;return null!=e&&("object"==t||"function"==t)}}function Ce(){if(y)return v;y=1;var e=function(){if(g)return p;g=1;var e="object"==typeof Ee&&Ee&&Ee.Object===Object&&Ee;return p=e}(),t="object"==typeof self&&self&&self.Object===Object&&self,n=e||t||Function("return this")();return v=n}function Pe(){if(k)return E;k=1;var e=function(){if(w)return x;w=1;var e=/\s/;return x=function(t){for(var n=t.length;n--&&e.test(t.charAt(n)););return n},x}(),t=/^\s+/;return E=function(n){return n?n.slice(0,e(n)+1).replace(t,""):n},E}function Se(){if(C)return T;C=1;var e=Ce().Symbol;return T=e}function Be(){if(A)return _;A=1;var e=Se(),t=function(){if(S)return P;S=1;var e=Se(),t=Object.prototype,n=t.hasOwnProperty,r=t.toString,a=e?e.toStringTag:void 0;return P=function(e){var t=n.call(e,a),i=e[a];try{e[a]=void 0;var o=!0}catch(e){}var s=r.call(e);return o&&(t?e[a]=i:delete e[a]),s}}(),n=function(){if(D)return B;D=1;var e=Object.prototype.toString;return B=function(t){return e.call(t)}}(),r=e?e.toStringTag:void 0;return _=function(e){return null==e?void 0===e?"[object Undefined]":"[object Null]":r&&r in Object(e)?t(e):n(e)}}function De(){if(N)return I;N=1;var e=Be(),t=R?M:(R=1,M=function(e){return null!=e&&"object"==typeof e});return I=function(n){return"symbol"==typeof n||t(n)&&"[object Symbol]"==e(n)}}var _e=function(){if(V)return O;V=1;var e=Te(),t=function(){if(b)return m;b=1;var e=Ce();return m=function(){return e.Date.now()}}(),n=function(){if(z)return L;z=1;var e=Pe(),t=Te(),n=De(),r=/^[-+]0x[0-9a-f]+$/i,a=/^0b[01]+$/i,i=/^0o[0-7]+$/i,o=parseInt;return L=function(s){if("number"==typeof s)return s;if(n(s))return NaN;if(t(s)){var l="function"==typeof s.valueOf?s.valueOf():s;s=t(l)?l+"":l}if("string"!=typeof s)return 0===s?s:+s;s=e(s);var u=a.test(s);return u||i.test(s)?o(s.slice(2),u?2:8):r.test(s)?NaN:+s}}(),r=Math.max,a=Math.min;return O=function(i,o,s){var l,u,c,d,h,f,p=0,g=!1,v=!1,y=!0;if("function"!=typeof i)throw new TypeError("Expected a function");function m(e){var t=l,n=u;return l=u=void 0,p=e,d=i.apply(n,t)}function b(e){var t=e-f;return void 0===f||t>=o||t<0||v&&e-p>=c}function x(){var e=t();if(b(e))return w(e);h=setTimeout(x,function(e){var t=o-(e-f);return v?a(t,c-(e-p)):t}(e))}function w(e){return h=void 0,y&&l?m(e):(l=u=void 0,d)}function E(){var e=t(),n=b(e);if(l=arguments,u=this,f=e,n){if(void 0===h)return function(e){return p=e,h=setTimeout(x,o),g?m(e):d}(f);if(v)return clearTimeout(h),h=setTimeout(x,o),m(f)}return void 0===h&&(h=setTimeout(x,o)),d}return o=n(o)||0,e(s)&&(g=!!s.leading,c=(v="maxWait"in s)?r(n(s.maxWait)||0,o):c,y="trailing"in s?!!s.trailing:y),E.cancel=function(){void 0!==h&&clearTimeout(h),p=0,l=f=u=h=void 0},E.flush=function(){return void 0===h?d:w(t())},E},O}(),Ae=ke(_e),Me=c?c.performance:null,Re=Me&&Me.now?function(){return Me.now()}:function(){return Date.now()},Ie=function(){if(c){if(c.requestAnimationFrame)return function(e){c.requestAnimationFrame(e)};if(c.mozRequestAnimationFrame)return function(e){c.mozRequestAnimationFrame(e)};if(c.webkitRequestAnimationFrame)return function(e){c.webkitRequestAnimationFrame(e)};if(c.msRequestAnimationFrame)return function(e){c.msRequestAnimationFrame(e)}}return function(e){e&&setTimeout((function(){e(Re())}),1e3/60)}}(),Ne=function(e){return Ie(e)},Le=Re,ze=9261,Oe=5381,Ve=function(e){for(var t,n=arguments.length>1&&void 0!==arguments[1]?arguments[1]:ze;!(t=e.next()).done;)n=65599*n+t.value|0;return n},Fe=function(e){return 65599*(arguments.length>1&&void 0!==arguments[1]?arguments[1]:ze)+e|0},Xe=function(e){var t=arguments.length>1&&void 0!==arguments[1]?arguments[1]:Oe;return(t<<5)+t+e|0},je=function(e){return 2097152*e[0]+e[1]},Ye=function(e,t){return[Fe(e[0],t[0]),Xe(e[1],t[1])]},qe=function(e,t){var n={value:0,done:!1},r=0,a=e.length;return Ve({next:function(){return r<a?n.value=e[r++]:n.done=!0,n}},t)},We=function(e,t){var n={value:0,done:!1},r=0,a=e.length;return Ve({next:function(){return r<a?n.value=e.charCodeAt(r++):n.done=!0,n}},t)},Ue=function(){return He(arguments)},He=function(e){for(var t,n=0;n<e.length;n++){var r=e[n];t=0===n?We(r):We(r,t)}return t};function Ke(e,t,n){if(0===n)return e;var r=(t.x1+t.x2)/2,a=(t.y1+t.y2)/2,i=t.w/t.h,o=1/i,s=function(e,t,n,r,a){var i=a*Math.PI/180;return{x:Math.cos(i)*(e-n)-Math.sin(i)*(t-r)+n,y:Math.sin(i)*(e-n)+Math.cos(i)*(t-r)+r}}(e.x,e.y,r,a,n),l=function(e,t,n,r,a,i){return{x:(e-n)*a+n,y:(t-r)*i+r}}(s.x,s.y,r,a,i,o);return{x:l.x,y:l.y}}var Ge=!0,Ze=null!=console.warn,$e=null!=console.trace,Qe=Number.MAX_SAFE_INTEGER||9007199254740991,Je=function(){return!0},et=function(){return!1},tt=function(){return 0},nt=function(){},rt=function(e){throw new Error(e)},at=function(e){if(void 0===e)return Ge;Ge=!!e},it=function(e){at()&&(Ze?console.warn(e):(console.log(e),$e&&console.trace()))},ot=function(e){return null==e?e:H(e)?e.slice():K(e)?function(e){return ye({},e)}(e):e},st=function(e,t){for(t=e="";e++<36;t+=51*e&52?(15^e?8^Math.random()*(20^e?16:4):4).toString(16):"-");return t},lt={},ut=function(){return lt},ct=function(e){var t=Object.keys(e);return function(n){for(var r={},a=0;a<t.length;a++){var i=t[a],o=null==n?void 0:n[i];r[i]=void 0===o?e[i]:o}return r}},dt=function(e,t,n){for(var r=e.length-1;r>=0;r--)e[r]===t&&e.splice(r,1)},ht=function(e){e.splice(0,e.length)},ft=function(e,t,n){return n&&(t=le(n,t)),e[t]},pt=function(e,t,n,r){n&&(t=le(n,t)),e[t]=r},gt="undefined"!=typeof Map?Map:function(){return n((function e(){t(this,e),this._obj={}}),[{key:"set",value:function(e,t){return this._obj[e]=t,this}},{key:"delete",value:function(e){return this._obj[e]=void 0,this}},{key:"clear",value:function(){this._obj={}}},{key:"has",value:function(e){return void 0!==this._obj[e]}},{key:"get",value:function(e){return this._obj[e]}}])}(),vt=function(){return n((function e(n){if(t(this,e),this._obj=Object.create(null),this.size=0,null!=n){var r;r=null!=n.instanceString&&n.instanceString()===this.instanceString()?n.toArray():n;for(var a=0;a<r.length;a++)this.add(r[a])}}),[{key:"instanceString",value:function(){return"set"}},{key:"add",value:function(e){var t=this._obj;1!==t[e]&&(t[e]=1,this.size++)}},{key:"delete",value:function(e){var t=this._obj;1===t[e]&&(t[e]=0,this.size--)}},{key:"clear",value:function(){this._obj=Object.create(null)}},{key:"has",value:function(e){return 1===this._obj[e]}},{key:"toArray",value:function(){var e=this;return Object.keys(this._obj).filter((function(t){return e.has(t)}))}},{key:"forEach",value:function(e,t){return this.toArray().forEach(e,t)}}])}(),yt="undefined"!==("undefined"==typeof Set?"undefined":l(Set))?Set:vt,mt=function(e,t){var n=!(arguments.length>2&&void 0!==arguments[2])||arguments[2];if(void 0!==e&&void 0!==t&&te(e)){var r=t.group;if(null==r&&(r=t.data&&null!=t.data.source&&null!=t.data.target?"edges":"nodes"),"nodes"===r||"edges"===r){this.length=1,this[0]=this;var a=this._private={cy:e,single:!0,data:t.data||{},position:t.position||{x:0,y:0},autoWidth:void 0,autoHeight:void 0,autoPadding:void 0,compoundBoundsClean:!1,listeners:[],group:r,style:{},rstyle:{},styleCxts:[],styleKeys:{},removed:!0,selected:!!t.selected,selectable:void 0===t.selectable||!!t.selectable,locked:!!t.locked,grabbed:!1,grabbable:void 0===t.grabbable||!!t.grabbable,pannable:void 0===t.pannable?"edges"===r:!!t.pannable,active:!1,classes:new yt,animation:{current:[],queue:[]},rscratch:{},scratch:t.scratch||{},edges:[],children:[],parent:t.parent&&t.parent.isNode()?t.parent:null,traversalCache:{},backgrounding:!1,bbCache:null,bbCacheShift:{x:0,y:0},bodyBounds:null,overlayBounds:null,labelBounds:{all:null,source:null,target:null,main:null},arrowBounds:{source:null,target:null,"mid-source":null,"mid-target":null}};if(null==a.position.x&&(a.position.x=0),null==a.position.y&&(a.position.y=0),t.renderedPosition){var i=t.renderedPosition,o=e.pan(),s=e.zoom();a.position={x:(i.x-o.x)/s,y:(i.y-o.y)/s}}var l=[];H(t.classes)?l=t.classes:W(t.classes)&&(l=t.classes.split(/\s+/));for(var u=0,c=l.length;u<c;u++){var d=l[u];d&&""!==d&&a.classes.add(d)}this.createEmitter(),(void 0===n||n)&&this.restore();var h=t.style||t.css;h&&(it("Setting a `style` bypass at element creation should be done only when absolutely necessary.  Try to use the stylesheet instead."),this.style(h))}else rt("An element must be of type `nodes` or `edges`; you specified `"+r+"`")}else rt("An element must have a core reference and parameters set")},bt=function(e){return e={bfs:e.bfs||!e.dfs,dfs:e.dfs||!e.bfs},function(t,n,r){var a;K(t)&&!Q(t)&&(t=(a=t).roots||a.root,n=a.visit,r=a.directed),r=2!==arguments.length||U(n)?r:n,n=U(n)?n:function(){};for(var i,o=this._private.cy,s=t=W(t)?this.filter(t):t,l=[],u=[],c={},d={},h={},f=0,p=this.byGroup(),g=p.nodes,v=p.edges,y=0;y<s.length;y++){var m=s[y],b=m.id();m.isNode()&&(l.unshift(m),e.bfs&&(h[b]=!0,u.push(m)),d[b]=0)}for(var x,w=function(){var t=e.bfs?l.shift():l.pop(),a=t.id();if(e.dfs){if(h[a])return 0;h[a]=!0,u.push(t)}var o,s=d[a],p=c[a],y=null!=p?p.source():null,m=null!=p?p.target():null,b=null==p?void 0:t.same(y)?m[0]:y[0];if(!0===(o=n(t,p,b,f++,s)))return i=t,1;if(!1===o)return 1;for(var x=t.connectedEdges().filter((function(e){return(!r||e.source().same(t))&&v.has(e)})),w=0;w<x.length;w++){var E=x[w],k=E.connectedNodes().filter((function(e){return!e.same(t)&&g.has(e)})),T=k.id();0===k.length||h[T]||(k=k[0],l.push(k),e.bfs&&(h[T]=!0,u.push(k)),c[T]=E,d[T]=d[a]+1)}};0!==l.length&&(0===(x=w())||1!==x););for(var E=o.collection(),k=0;k<u.length;k++){var T=u[k],C=c[T.id()];null!=C&&E.push(C),E.push(T)}return{path:o.collection(E),found:o.collection(i)}}},xt={breadthFirstSearch:bt({bfs:!0}),depthFirstSearch:bt({dfs:!0})};xt.bfs=xt.breadthFirstSearch,xt.dfs=xt.depthFirstSearch;var wt,Et,kt,Tt={exports:{}},Ct=Tt.exports;function Pt(){return wt||(wt=1,function(e){(function(){var t,n,r,a,i,o,s,l,u,c,d,h,f,p,g;r=Math.floor,c=Math.min,n=function(e,t){return e<t?-1:e>t?1:0},u=function(e,t,a,i,o){var s;if(null==a&&(a=0),null==o&&(o=n),a<0)throw new Error("lo must be non-negative");for(null==i&&(i=e.length);a<i;)o(t,e[s=r((a+i)/2)])<0?i=s:a=s+1;return[].splice.apply(e,[a,a-a].concat(t)),t},o=function(e,t,r){return null==r&&(r=n),e.push(t),p(e,0,e.length-1,r)},i=function(e,t){var r,a;return null==t&&(t=n),r=e.pop(),e.length?(a=e[0],e[0]=r,g(e,0,t)):a=r,a},l=function(e,t,r){var a;return null==r&&(r=n),a=e[0],e[0]=t,g(e,0,r),a},s=function(e,t,r){var a;return null==r&&(r=n),e.length&&r(e[0],t)<0&&(t=(a=[e[0],t])[0],e[0]=a[1],g(e,0,r)),t},a=function(e,t){var a,i,o,s,l,u;for(null==t&&(t=n),l=[],i=0,o=(s=function(){u=[];for(var t=0,n=r(e.length/2);0<=n?t<n:t>n;0<=n?t++:t--)u.push(t);return u}.apply(this).reverse()).length;i<o;i++)a=s[i],l.push(g(e,a,t));return l},f=function(e,t,r){var a;if(null==r&&(r=n),-1!==(a=e.indexOf(t)))return p(e,0,a,r),g(e,a,r)},d=function(e,t,r){var i,o,l,u,c;if(null==r&&(r=n),!(o=e.slice(0,t)).length)return o;for(a(o,r),l=0,u=(c=e.slice(t)).length;l<u;l++)i=c[l],s(o,i,r);return o.sort(r).reverse()},h=function(e,t,r){var o,s,l,d,h,f,p,g,v;if(null==r&&(r=n),10*t<=e.length){if(!(l=e.slice(0,t).sort(r)).length)return l;for(s=l[l.length-1],d=0,f=(p=e.slice(t)).length;d<f;d++)r(o=p[d],s)<0&&(u(l,o,0,null,r),l.pop(),s=l[l.length-1]);return l}for(a(e,r),v=[],h=0,g=c(t,e.length);0<=g?h<g:h>g;0<=g?++h:--h)v.push(i(e,r));return v},p=function(e,t,r,a){var i,o,s;for(null==a&&(a=n),i=e[r];r>t&&a(i,o=e[s=r-1>>1])<0;)e[r]=o,r=s;return e[r]=i},g=function(e,t,r){var a,i,o,s,l;for(null==r&&(r=n),i=e.length,l=t,o=e[t],a=2*t+1;a<i;)(s=a+1)<i&&!(r(e[a],e[s])<0)&&(a=s),e[t]=e[a],a=2*(t=a)+1;return e[t]=o,p(e,l,t,r)},t=function(){function e(e){this.cmp=null!=e?e:n,this.nodes=[]}return e.push=o,e.pop=i,e.replace=l,e.pushpop=s,e.heapify=a,e.updateItem=f,e.nlargest=d,e.nsmallest=h,e.prototype.push=function(e){return o(this.nodes,e,this.cmp)},e.prototype.pop=function(){return i(this.nodes,this.cmp)},e.prototype.peek=function(){return this.nodes[0]},e.prototype.contains=function(e){return-1!==this.nodes.indexOf(e)},e.prototype.replace=function(e){return l(this.nodes,e,this.cmp)},e.prototype.pushpop=function(e){return s(this.nodes,e,this.cmp)},e.prototype.heapify=function(){return a(this.nodes,this.cmp)},e.prototype.updateItem=function(e){return f(this.nodes,e,this.cmp)},e.prototype.clear=function(){return this.nodes=[]},e.prototype.empty=function(){return 0===this.nodes.length},e.prototype.size=function(){return this.nodes.length},e.prototype.clone=function(){var t;return(t=new e).nodes=this.nodes.slice(0),t},e.prototype.toArray=function(){return this.nodes.slice(0)},e.prototype.insert=e.prototype.push,e.prototype.top=e.prototype.peek,e.prototype.front=e.prototype.peek,e.prototype.has=e.prototype.contains,e.prototype.copy=e.prototype.clone,e}(),e.exports=t}).call(Ct)}(Tt)),Tt.exports}var St,Bt=ke(kt?Et:(kt=1,Et=Pt())),Dt=ct({root:null,weight:function(e){return 1},directed:!1}),_t={dijkstra:function(e){if(!K(e)){var t=arguments;e={root:t[0],weight:t[1],directed:t[2]}}var n=Dt(e),r=n.root,a=n.weight,i=n.directed,o=this,s=a,l=W(r)?this.filter(r)[0]:r[0],u={},c={},d={},h=this.byGroup(),f=h.nodes,p=h.edges;p.unmergeBy((function(e){return e.isLoop()}));for(var g=function(e){return u[e.id()]},v=function(e,t){u[e.id()]=t,y.updateItem(e)},y=new Bt((function(e,t){return g(e)-g(t)})),m=0;m<f.length;m++){var b=f[m];u[b.id()]=b.same(l)?0:1/0,y.push(b)}for(var x=function(e,t){for(var n,r=(i?e.edgesTo(t):e.edgesWith(t)).intersect(p),a=1/0,o=0;o<r.length;o++){var l=r[o],u=s(l);(u<a||!n)&&(a=u,n=l)}return{edge:n,dist:a}};y.size()>0;){var w=y.pop(),E=g(w),k=w.id();if(d[k]=E,E!==1/0)for(var T=w.neighborhood().intersect(f),C=0;C<T.length;C++){var P=T[C],S=P.id(),B=x(w,P),D=E+B.dist;D<g(P)&&(v(P,D),c[S]={node:w,edge:B.edge})}}return{distanceTo:function(e){var t=W(e)?f.filter(e)[0]:e[0];return d[t.id()]},pathTo:function(e){var t=W(e)?f.filter(e)[0]:e[0],n=[],r=t,a=r.id();if(t.length>0)for(n.unshift(t);c[a];){var i=c[a];n.unshift(i.edge),n.unshift(i.node),a=(r=i.node).id()}return o.spawn(n)}}}},At={kruskal:function(e){e=e||function(e){return 1};for(var t=this.byGroup(),n=t.nodes,r=t.edges,a=n.length,i=new Array(a),o=n,s=function(e){for(var t=0;t<i.length;t++){if(i[t].has(e))return t}},l=0;l<a;l++)i[l]=this.spawn(n[l]);for(var u=r.sort((function(t,n){return e(t)-e(n)})),c=0;c<u.length;c++){var d=u[c],h=d.source()[0],f=d.target()[0],p=s(h),g=s(f),v=i[p],y=i[g];p!==g&&(o.merge(d),v.merge(y),i.splice(g,1))}return o}},Mt=ct({root:null,goal:null,weight:function(e){return 1},heuristic:function(e){return 0},directed:!1}),Rt={aStar:function(e){var t=this.cy(),n=Mt(e),r=n.root,a=n.goal,i=n.heuristic,o=n.directed,s=n.weight;r=t.collection(r)[0],a=t.collection(a)[0];var l,u,c=r.id(),d=a.id(),h={},f={},p={},g=new Bt((function(e,t){return f[e.id()]-f[t.id()]})),v=new yt,y={},m={},b=function(e,t){g.push(e),v.add(t)};b(r,c),h[c]=0,f[c]=i(r);for(var x,w=0;g.size()>0;){if(l=g.pop(),u=l.id(),v.delete(u),w++,u===d){for(var E=[],k=a,T=d,C=m[T];E.unshift(k),null!=C&&E.unshift(C),null!=(k=y[T]);)C=m[T=k.id()];return{found:!0,distance:h[u],path:this.spawn(E),steps:w}}p[u]=!0;for(var P=l._private.edges,S=0;S<P.length;S++){var B=P[S];if(this.hasElementWithId(B.id())&&(!o||B.data("source")===u)){var D=B.source(),_=B.target(),A=D.id()!==u?D:_,M=A.id();if(this.hasElementWithId(M)&&!p[M]){var R=h[u]+s(B);x=M,v.has(x)?R<h[M]&&(h[M]=R,f[M]=R+i(A),g.updateItem(A),y[M]=l,m[M]=B):(h[M]=R,f[M]=R+i(A),b(A,M),y[M]=l,m[M]=B)}}}}return{found:!1,distance:void 0,path:void 0,steps:w}}},It=ct({weight:function(e){return 1},directed:!1}),Nt={floydWarshall:function(e){for(var t=this.cy(),n=It(e),r=n.weight,a=n.directed,i=r,o=this.byGroup(),s=o.nodes,l=o.edges,u=s.length,c=u*u,d=function(e){return s.indexOf(e)},h=function(e){return s[e]},f=new Array(c),p=0;p<c;p++){var g=p%u,v=(p-g)/u;f[p]=v===g?0:1/0}for(var y=new Array(c),m=new Array(c),b=0;b<l.length;b++){var x=l[b],w=x.source()[0],E=x.target()[0];if(w!==E){var k=d(w),T=d(E),C=k*u+T,P=i(x);if(f[C]>P&&(f[C]=P,y[C]=T,m[C]=x),!a){var S=T*u+k;!a&&f[S]>P&&(f[S]=P,y[S]=k,m[S]=x)}}}for(var B=0;B<u;B++)for(var D=0;D<u;D++)for(var _=D*u+B,A=0;A<u;A++){var M=D*u+A,R=B*u+A;f[_]+f[R]<f[M]&&(f[M]=f[_]+f[R],y[M]=y[_])}var I=function(e){return d(function(e){return(W(e)?t.filter(e):e)[0]}(e))},N={distance:function(e,t){var n=I(e),r=I(t);return f[n*u+r]},path:function(e,n){var r=I(e),a=I(n),i=h(r);if(r===a)return i.collection();if(null==y[r*u+a])return t.collection();var o,s=t.collection(),l=r;for(s.merge(i);r!==a;)l=r,r=y[r*u+a],o=m[l*u+r],s.merge(o),s.merge(h(r));return s}};return N}},Lt=ct({weight:function(e){return 1},directed:!1,root:null}),zt={bellmanFord:function(e){var t=this,n=Lt(e),r=n.weight,a=n.directed,i=n.root,o=r,s=this,l=this.cy(),u=this.byGroup(),c=u.edges,d=u.nodes,h=d.length,f=new gt,p=!1,g=[];i=l.collection(i)[0],c.unmergeBy((function(e){return e.isLoop()}));for(var v=c.length,y=function(e){var t=f.get(e.id());return t||(t={},f.set(e.id(),t)),t},m=function(e){return(W(e)?l.$(e):e)[0]},b=0;b<h;b++){var x=d[b],w=y(x);x.same(i)?w.dist=0:w.dist=1/0,w.pred=null,w.edge=null}for(var E=!1,k=function(e,t,n,r,a,i){var o=r.dist+i;o<a.dist&&!n.same(r.edge)&&(a.dist=o,a.pred=e,a.edge=n,E=!0)},T=1;T<h;T++){E=!1;for(var C=0;C<v;C++){var P=c[C],S=P.source(),B=P.target(),D=o(P),_=y(S),A=y(B);k(S,0,P,_,A,D),a||k(B,0,P,A,_,D)}if(!E)break}if(E)for(var M=[],R=0;R<v;R++){var I=c[R],N=I.source(),L=I.target(),z=o(I),O=y(N).dist,V=y(L).dist;if(O+z<V||!a&&V+z<O){if(p||(it("Graph contains a negative weight cycle for Bellman-Ford"),p=!0),!1===e.findNegativeWeightCycles)break;var F=[];O+z<V&&F.push(N),!a&&V+z<O&&F.push(L);for(var X=F.length,j=0;j<X;j++){var Y=F[j],q=[Y];q.push(y(Y).edge);for(var U=y(Y).pred;-1===q.indexOf(U);)q.push(U),q.push(y(U).edge),U=y(U).pred;for(var H=(q=q.slice(q.indexOf(U)))[0].id(),K=0,G=2;G<q.length;G+=2)q[G].id()<H&&(H=q[G].id(),K=G);(q=q.slice(K).concat(q.slice(0,K))).push(q[0]);var Z=q.map((function(e){return e.id()})).join(",");-1===M.indexOf(Z)&&(g.push(s.spawn(q)),M.push(Z))}}}return{distanceTo:function(e){return y(m(e)).dist},pathTo:function(e){for(var n=arguments.length>1&&void 0!==arguments[1]?arguments[1]:i,r=[],a=m(e);;){if(null==a)return t.spawn();var o=y(a),l=o.edge,u=o.pred;if(r.unshift(a[0]),a.same(n)&&r.length>0)break;null!=l&&r.unshift(l),a=u}return s.spawn(r)},hasNegativeWeightCycle:p,negativeWeightCycles:g}}},Ot=Math.sqrt(2),Vt=function(e,t,n){0===n.length&&rt("Karger-Stein must be run on a connected (sub)graph");for(var r=n[e],a=r[1],i=r[2],o=t[a],s=t[i],l=n,u=l.length-1;u>=0;u--){var c=l[u],d=c[1],h=c[2];(t[d]===o&&t[h]===s||t[d]===s&&t[h]===o)&&l.splice(u,1)}for(var f=0;f<l.length;f++){var p=l[f];p[1]===s?(l[f]=p.slice(),l[f][1]=o):p[2]===s&&(l[f]=p.slice(),l[f][2]=o)}for(var g=0;g<t.length;g++)t[g]===s&&(t[g]=o);return l},Ft=function(e,t,n,r){for(;n>r;){var a=Math.floor(Math.random()*t.length);t=Vt(a,e,t),n--}return t},Xt={kargerStein:function(){var e=this,t=this.byGroup(),n=t.nodes,r=t.edges;r.unmergeBy((function(e){return e.isLoop()}));var a=n.length,i=r.length,o=Math.ceil(Math.pow(Math.log(a)/Math.LN2,2)),s=Math.floor(a/Ot);if(!(a<2)){for(var l=[],u=0;u<i;u++){var c=r[u];l.push([u,n.indexOf(c.source()),n.indexOf(c.target())])}for(var d=1/0,h=[],f=new Array(a),p=new Array(a),g=new Array(a),v=function(e,t){for(var n=0;n<a;n++)t[n]=e[n]},y=0;y<=o;y++){for(var m=0;m<a;m++)p[m]=m;var b=Ft(p,l.slice(),a,s),x=b.slice();v(p,g);var w=Ft(p,b,s,2),E=Ft(g,x,s,2);w.length<=E.length&&w.length<d?(d=w.length,h=w,v(p,f)):E.length<=w.length&&E.length<d&&(d=E.length,h=E,v(g,f))}for(var k=this.spawn(h.map((function(e){return r[e[0]]}))),T=this.spawn(),C=this.spawn(),P=f[0],S=0;S<f.length;S++){var B=f[S],D=n[S];B===P?T.merge(D):C.merge(D)}var _=function(t){var n=e.spawn();return t.forEach((function(t){n.merge(t),t.connectedEdges().forEach((function(t){e.contains(t)&&!k.contains(t)&&n.merge(t)}))})),n},A=[_(T),_(C)];return{cut:k,components:A,partition1:T,partition2:C}}rt("At least 2 nodes are required for Karger-Stein algorithm")}},jt=function(e,t,n){return{x:e.x*t+n.x,y:e.y*t+n.y}},Yt=function(e,t,n){return{x:(e.x-n.x)/t,y:(e.y-n.y)/t}},qt=function(e){return{x:e[0],y:e[1]}},Wt=function(e,t){return 0===t?e:Wt(t,e%t)},Ut=function(e,t){return Math.atan2(t,e)-Math.PI/2},Ht=Math.log2||function(e){return Math.log(e)/Math.log(2)},Kt=function(e){return e>0?1:e<0?-1:0},Gt=function(e,t){return Math.sqrt(Zt(e,t))},Zt=function(e,t){var n=t.x-e.x,r=t.y-e.y;return n*n+r*r},$t=function(e){for(var t=e.length,n=0,r=0;r<t;r++)n+=e[r];for(var a=0;a<t;a++)e[a]=e[a]/n;return e},Qt=function(e,t,n,r){return(1-r)*(1-r)*e+2*(1-r)*r*t+r*r*n},Jt=function(e,t,n,r){return{x:Qt(e.x,t.x,n.x,r),y:Qt(e.y,t.y,n.y,r)}},en=function(e,t,n){return Math.max(e,Math.min(n,t))},tn=function(e){if(null==e)return{x1:1/0,y1:1/0,x2:-1/0,y2:-1/0,w:0,h:0};if(null!=e.x1&&null!=e.y1){if(null!=e.x2&&null!=e.y2&&e.x2>=e.x1&&e.y2>=e.y1)return{x1:e.x1,y1:e.y1,x2:e.x2,y2:e.y2,w:e.x2-e.x1,h:e.y2-e.y1};if(null!=e.w&&null!=e.h&&e.w>=0&&e.h>=0)return{x1:e.x1,y1:e.y1,x2:e.x1+e.w,y2:e.y1+e.h,w:e.w,h:e.h}}},nn=function(e,t,n){e.x1=Math.min(e.x1,t),e.x2=Math.max(e.x2,t),e.w=e.x2-e.x1,e.y1=Math.min(e.y1,n),e.y2=Math.max(e.y2,n),e.h=e.y2-e.y1},rn=function(e){var t=arguments.length>1&&void 0!==arguments[1]?arguments[1]:0;return e.x1-=t,e.x2+=t,e.y1-=t,e.y2+=t,e.w=e.x2-e.x1,e.h=e.y2-e.y1,e},an=function(e){var t,n,r,a,o=arguments.length>1&&void 0!==arguments[1]?arguments[1]:[0];if(1===o.length)t=n=r=a=o[0];else if(2===o.length)t=r=o[0],a=n=o[1];else if(4===o.length){var s=i(o,4);t=s[0],n=s[1],r=s[2],a=s[3]}return e.x1-=a,e.x2+=n,e.y1-=t,e.y2+=r,e.w=e.x2-e.x1,e.h=e.y2-e.y1,e},on=function(e,t){e.x1=t.x1,e.y1=t.y1,e.x2=t.x2,e.y2=t.y2,e.w=e.x2-e.x1,e.h=e.y2-e.y1},sn=function(e,t){return!(e.x1>t.x2)&&(!(t.x1>e.x2)&&(!(e.x2<t.x1)&&(!(t.x2<e.x1)&&(!(e.y2<t.y1)&&(!(t.y2<e.y1)&&(!(e.y1>t.y2)&&!(t.y1>e.y2)))))))},ln=function(e,t,n){return e.x1<=t&&t<=e.x2&&e.y1<=n&&n<=e.y2},un=function(e,t){return ln(e,t.x,t.y)},cn=function(e,t){return ln(e,t.x1,t.y1)&&ln(e,t.x2,t.y2)},dn=null!==(St=Math.hypot)&&void 0!==St?St:function(e,t){return Math.sqrt(e*e+t*t)};function hn(e,t,n,r,a,i){var o=function(e,t){if(e.length<3)throw new Error("Need at least 3 vertices");var n=function(e,t){return{x:e.x+t.x,y:e.y+t.y}},r=function(e,t){return{x:e.x-t.x,y:e.y-t.y}},a=function(e,t){return{x:e.x*t,y:e.y*t}},i=function(e,t){return e.x*t.y-e.y*t.x},o=function(e,t,o,s){var l=r(t,e),u=r(s,o),c=i(l,u);if(Math.abs(c)<1e-9)return n(e,a(l,.5));var d=i(r(o,e),u)/c;return n(e,a(l,d))},s=e.map((function(e){return{x:e.x,y:e.y}}));(function(e){for(var t=0,n=0;n<e.length;n++){var r=e[n],a=e[(n+1)%e.length];t+=r.x*a.y-a.x*r.y}return t/2})(s)<0&&s.reverse();for(var l,u,c=s.length,d=[],h=0;h<c;h++){var f=s[h],p=s[(h+1)%c],g=r(p,f),v=(l={x:g.y,y:-g.x},u=void 0,0===(u=dn(l.x,l.y))?{x:0,y:0}:{x:l.x/u,y:l.y/u});d.push(v)}for(var y=d.map((function(e,r){return{p1:n(s[r],a(e,t)),p2:n(s[(r+1)%c],a(e,t))}})),m=[],b=0;b<c;b++){var x=y[(b-1+c)%c],w=y[b],E=o(x.p1,x.p2,w.p1,w.p2);m.push(E)}return m}(Pn(e,t,n,r,a),i),s=tn();return o.forEach((function(e){return nn(s,e.x,e.y)})),s}var fn=function(e,t,n,r,a,i,o){var s,l,u=arguments.length>7&&void 0!==arguments[7]?arguments[7]:"auto",c="auto"===u?Mn(a,i):u,d=a/2,h=i/2,f=(c=Math.min(c,d,h))!==d,p=c!==h;if(f){var g=r-h-o;if((s=Cn(e,t,n,r,n-d+c-o,g,n+d-c+o,g,!1)).length>0)return s}if(p){var v=n+d+o;if((s=Cn(e,t,n,r,v,r-h+c-o,v,r+h-c+o,!1)).length>0)return s}if(f){var y=r+h+o;if((s=Cn(e,t,n,r,n-d+c-o,y,n+d-c+o,y,!1)).length>0)return s}if(p){var m=n-d-o;if((s=Cn(e,t,n,r,m,r-h+c-o,m,r+h-c+o,!1)).length>0)return s}var b=n-d+c,x=r-h+c;if((l=kn(e,t,n,r,b,x,c+o)).length>0&&l[0]<=b&&l[1]<=x)return[l[0],l[1]];var w=n+d-c,E=r-h+c;if((l=kn(e,t,n,r,w,E,c+o)).length>0&&l[0]>=w&&l[1]<=E)return[l[0],l[1]];var k=n+d-c,T=r+h-c;if((l=kn(e,t,n,r,k,T,c+o)).length>0&&l[0]>=k&&l[1]>=T)return[l[0],l[1]];var C=n-d+c,P=r+h-c;return(l=kn(e,t,n,r,C,P,c+o)).length>0&&l[0]<=C&&l[1]>=P?[l[0],l[1]]:[]},pn=function(e,t,n,r,a,i,o){var s=o,l=Math.min(n,a),u=Math.max(n,a),c=Math.min(r,i),d=Math.max(r,i);return l-s<=e&&e<=u+s&&c-s<=t&&t<=d+s},gn=function(e,t,n,r,a,i,o,s,l){var u=Math.min(n,o,a)-l,c=Math.max(n,o,a)+l,d=Math.min(r,s,i)-l,h=Math.max(r,s,i)+l;return!(e<u||e>c||t<d||t>h)},vn=function(e,t,n,r,a,i,o,s){var l=[];!function(e,t,n,r,a){var i,o,s,l,u,c,d,h;0===e&&(e=1e-5),s=-27*(r/=e)+(t/=e)*(9*(n/=e)-t*t*2),i=(o=(3*n-t*t)/9)*o*o+(s/=54)*s,a[1]=0,d=t/3,i>0?(u=(u=s+Math.sqrt(i))<0?-Math.pow(-u,1/3):Math.pow(u,1/3),c=(c=s-Math.sqrt(i))<0?-Math.pow(-c,1/3):Math.pow(c,1/3),a[0]=-d+u+c,d+=(u+c)/2,a[4]=a[2]=-d,d=Math.sqrt(3)*(-c+u)/2,a[3]=d,a[5]=-d):(a[5]=a[3]=0,0===i?(h=s<0?-Math.pow(-s,1/3):Math.pow(s,1/3),a[0]=2*h-d,a[4]=a[2]=-(h+d)):(l=(o=-o)*o*o,l=Math.acos(s/Math.sqrt(l)),h=2*Math.sqrt(o),a[0]=-d+h*Math.cos(l/3),a[2]=-d+h*Math.cos((l+2*Math.PI)/3),a[4]=-d+h*Math.cos((l+4*Math.PI)/3)))}(1*n*n-4*n*a+2*n*o+4*a*a-4*a*o+o*o+r*r-4*r*i+2*r*s+4*i*i-4*i*s+s*s,9*n*a-3*n*n-3*n*o-6*a*a+3*a*o+9*r*i-3*r*r-3*r*s-6*i*i+3*i*s,3*n*n-6*n*a+n*o-n*e+2*a*a+2*a*e-o*e+3*r*r-6*r*i+r*s-r*t+2*i*i+2*i*t-s*t,1*n*a-n*n+n*e-a*e+r*i-r*r+r*t-i*t,l);for(var u=[],c=0;c<6;c+=2)Math.abs(l[c+1])<1e-7&&l[c]>=0&&l[c]<=1&&u.push(l[c]);u.push(1),u.push(0);for(var d,h,f,p=-1,g=0;g<u.length;g++)d=Math.pow(1-u[g],2)*n+2*(1-u[g])*u[g]*a+u[g]*u[g]*o,h=Math.pow(1-u[g],2)*r+2*(1-u[g])*u[g]*i+u[g]*u[g]*s,f=Math.pow(d-e,2)+Math.pow(h-t,2),p>=0?f<p&&(p=f):p=f;return p},yn=function(e,t,n,r,a,i){var o=[e-n,t-r],s=[a-n,i-r],l=s[0]*s[0]+s[1]*s[1],u=o[0]*o[0]+o[1]*o[1],c=o[0]*s[0]+o[1]*s[1],d=c*c/l;return c<0?u:d>l?(e-a)*(e-a)+(t-i)*(t-i):u-d},mn=function(e,t,n){for(var r,a,i,o,s=0,l=0;l<n.length/2;l++)if(r=n[2*l],a=n[2*l+1],l+1<n.length/2?(i=n[2*(l+1)],o=n[2*(l+1)+1]):(i=n[2*(l+1-n.length/2)],o=n[2*(l+1-n.length/2)+1]),r==e&&i==e);else{if(!(r>=e&&e>=i||r<=e&&e<=i))continue;(e-r)/(i-r)*(o-a)+a>t&&s++}return s%2!=0},bn=function(e,t,n,r,a,i,o,s,l){var u,c=new Array(n.length);null!=s[0]?(u=Math.atan(s[1]/s[0]),s[0]<0?u+=Math.PI/2:u=-u-Math.PI/2):u=s;for(var d,h=Math.cos(-u),f=Math.sin(-u),p=0;p<c.length/2;p++)c[2*p]=i/2*(n[2*p]*h-n[2*p+1]*f),c[2*p+1]=o/2*(n[2*p+1]*h+n[2*p]*f),c[2*p]+=r,c[2*p+1]+=a;if(l>0){var g=wn(c,-l);d=xn(g)}else d=c;return mn(e,t,d)},xn=function(e){for(var t,n,r,a,i,o,s,l,u=new Array(e.length/2),c=0;c<e.length/4;c++){t=e[4*c],n=e[4*c+1],r=e[4*c+2],a=e[4*c+3],c<e.length/4-1?(i=e[4*(c+1)],o=e[4*(c+1)+1],s=e[4*(c+1)+2],l=e[4*(c+1)+3]):(i=e[0],o=e[1],s=e[2],l=e[3]);var d=Cn(t,n,r,a,i,o,s,l,!0);u[2*c]=d[0],u[2*c+1]=d[1]}return u},wn=function(e,t){for(var n,r,a,i,o=new Array(2*e.length),s=0;s<e.length/2;s++){n=e[2*s],r=e[2*s+1],s<e.length/2-1?(a=e[2*(s+1)],i=e[2*(s+1)+1]):(a=e[0],i=e[1]);var l=i-r,u=-(a-n),c=Math.sqrt(l*l+u*u),d=l/c,h=u/c;o[4*s]=n+d*t,o[4*s+1]=r+h*t,o[4*s+2]=a+d*t,o[4*s+3]=i+h*t}return o},En=function(e,t,n,r,a,i,o){return e-=a,t-=i,(e/=n/2+o)*e+(t/=r/2+o)*t<=1},kn=function(e,t,n,r,a,i,o){var s=[n-e,r-t],l=[e-a,t-i],u=s[0]*s[0]+s[1]*s[1],c=2*(l[0]*s[0]+l[1]*s[1]),d=c*c-4*u*(l[0]*l[0]+l[1]*l[1]-o*o);if(d<0)return[];var h=(-c+Math.sqrt(d))/(2*u),f=(-c-Math.sqrt(d))/(2*u),p=Math.min(h,f),g=Math.max(h,f),v=[];if(p>=0&&p<=1&&v.push(p),g>=0&&g<=1&&v.push(g),0===v.length)return[];var y=v[0]*s[0]+e,m=v[0]*s[1]+t;return v.length>1?v[0]==v[1]?[y,m]:[y,m,v[1]*s[0]+e,v[1]*s[1]+t]:[y,m]},Tn=function(e,t,n){return t<=e&&e<=n||n<=e&&e<=t?e:e<=t&&t<=n||n<=t&&t<=e?t:n},Cn=function(e,t,n,r,a,i,o,s,l){var u=e-a,c=n-e,d=o-a,h=t-i,f=r-t,p=s-i,g=d*h-p*u,v=c*h-f*u,y=p*c-d*f;if(0!==y){var m=g/y,b=v/y,x=-.001;return x<=m&&m<=1.001&&x<=b&&b<=1.001||l?[e+m*c,t+m*f]:[]}return 0===g||0===v?Tn(e,n,o)===o?[o,s]:Tn(e,n,a)===a?[a,i]:Tn(a,o,n)===n?[n,r]:[]:[]},Pn=function(e,t,n,r,a){var i=[],o=r/2,s=a/2,l=t,u=n;i.push({x:l+o*e[0],y:u+s*e[1]});for(var c=1;c<e.length/2;c++)i.push({x:l+o*e[2*c],y:u+s*e[2*c+1]});return i},Sn=function(e,t,n,r,a,i,o,s){var l,u,c,d,h,f,p=[],g=new Array(n.length),v=!0;if(null==i&&(v=!1),v){for(var y=0;y<g.length/2;y++)g[2*y]=n[2*y]*i+r,g[2*y+1]=n[2*y+1]*o+a;if(s>0){var m=wn(g,-s);u=xn(m)}else u=g}else u=n;for(var b=0;b<u.length/2;b++)c=u[2*b],d=u[2*b+1],b<u.length/2-1?(h=u[2*(b+1)],f=u[2*(b+1)+1]):(h=u[0],f=u[1]),0!==(l=Cn(e,t,r,a,c,d,h,f)).length&&p.push(l[0],l[1]);return p},Bn=function(e,t,n){var r=[e[0]-t[0],e[1]-t[1]],a=Math.sqrt(r[0]*r[0]+r[1]*r[1]),i=(a-n)/a;return i<0&&(i=1e-5),[t[0]+i*r[0],t[1]+i*r[1]]},Dn=function(e,t){var n=An(e,t);return n=_n(n)},_n=function(e){for(var t,n,r=e.length/2,a=1/0,i=1/0,o=-1/0,s=-1/0,l=0;l<r;l++)t=e[2*l],n=e[2*l+1],a=Math.min(a,t),o=Math.max(o,t),i=Math.min(i,n),s=Math.max(s,n);for(var u=2/(o-a),c=2/(s-i),d=0;d<r;d++)t=e[2*d]=e[2*d]*u,n=e[2*d+1]=e[2*d+1]*c,a=Math.min(a,t),o=Math.max(o,t),i=Math.min(i,n),s=Math.max(s,n);if(i<-1)for(var h=0;h<r;h++)n=e[2*h+1]=e[2*h+1]+(-1-i);return e},An=function(e,t){var n=1/e*2*Math.PI,r=e%2==0?Math.PI/2+n/2:Math.PI/2;r+=t;for(var a,i=new Array(2*e),o=0;o<e;o++)a=o*n+r,i[2*o]=Math.cos(a),i[2*o+1]=Math.sin(-a);return i},Mn=function(e,t){return Math.min(e/4,t/4,8)},Rn=function(e,t){return Math.min(e/10,t/10,8)},In=function(e,t){return{heightOffset:Math.min(15,.05*t),widthOffset:Math.min(100,.25*e),ctrlPtOffsetPct:.05}};function Nn(e,t){function n(e){for(var t=[],n=0;n<e.length;n++){var r=e[n],a=e[(n+1)%e.length],i={x:a.x-r.x,y:a.y-r.y},o={x:-i.y,y:i.x},s=Math.sqrt(o.x*o.x+o.y*o.y);t.push({x:o.x/s,y:o.y/s})}return t}function a(e,t){var n,a=1/0,i=-1/0,o=r(e);try{for(o.s();!(n=o.n()).done;){var s=n.value,l=s.x*t.x+s.y*t.y;a=Math.min(a,l),i=Math.max(i,l)}}catch(e){o.e(e)}finally{o.f()}return{min:a,max:i}}function i(e,t){return!(e.max<t.min||t.max<e.min)}var s,l=r([].concat(o(n(e)),o(n(t))));try{for(l.s();!(s=l.n()).done;){var u=s.value;if(!i(a(e,u),a(t,u)))return!1}}catch(e){l.e(e)}finally{l.f()}return!0}var Ln=ct({dampingFactor:.8,precision:1e-6,iterations:200,weight:function(e){return 1}}),zn={pageRank:function(e){for(var t=Ln(e),n=t.dampingFactor,r=t.precision,a=t.iterations,i=t.weight,o=this._private.cy,s=this.byGroup(),l=s.nodes,u=s.edges,c=l.length,d=c*c,h=u.length,f=new Array(d),p=new Array(c),g=(1-n)/c,v=0;v<c;v++){for(var y=0;y<c;y++){f[v*c+y]=0}p[v]=0}for(var m=0;m<h;m++){var b=u[m],x=b.data("source"),w=b.data("target");if(x!==w){var E=l.indexOfId(x),k=l.indexOfId(w),T=i(b);f[k*c+E]+=T,p[E]+=T}}for(var C=1/c+g,P=0;P<c;P++)if(0===p[P])for(var S=0;S<c;S++){f[S*c+P]=C}else for(var B=0;B<c;B++){var D=B*c+P;f[D]=f[D]/p[P]+g}for(var _,A=new Array(c),M=new Array(c),R=0;R<c;R++)A[R]=1;for(var I=0;I<a;I++){for(var N=0;N<c;N++)M[N]=0;for(var L=0;L<c;L++)for(var z=0;z<c;z++){var O=L*c+z;M[L]+=f[O]*A[z]}$t(M),_=A,A=M,M=_;for(var V=0,F=0;F<c;F++){var X=_[F]-A[F];V+=X*X}if(V<r)break}return{rank:function(e){return e=o.collection(e)[0],A[l.indexOf(e)]}}}},On=ct({root:null,weight:function(e){return 1},directed:!1,alpha:0}),Vn={degreeCentralityNormalized:function(e){e=On(e);var t=this.cy(),n=this.nodes(),r=n.length;if(e.directed){for(var a={},i={},o=0,s=0,l=0;l<r;l++){var u=n[l],c=u.id();e.root=u;var d=this.degreeCentrality(e);o<d.indegree&&(o=d.indegree),s<d.outdegree&&(s=d.outdegree),a[c]=d.indegree,i[c]=d.outdegree}return{indegree:function(e){return 0==o?0:(W(e)&&(e=t.filter(e)),a[e.id()]/o)},outdegree:function(e){return 0===s?0:(W(e)&&(e=t.filter(e)),i[e.id()]/s)}}}for(var h={},f=0,p=0;p<r;p++){var g=n[p];e.root=g;var v=this.degreeCentrality(e);f<v.degree&&(f=v.degree),h[g.id()]=v.degree}return{degree:function(e){return 0===f?0:(W(e)&&(e=t.filter(e)),h[e.id()]/f)}}},degreeCentrality:function(e){e=On(e);var t=this.cy(),n=this,r=e,a=r.root,i=r.weight,o=r.directed,s=r.alpha;if(a=t.collection(a)[0],o){for(var l=a.connectedEdges(),u=l.filter((function(e){return e.target().same(a)&&n.has(e)})),c=l.filter((function(e){return e.source().same(a)&&n.has(e)})),d=u.length,h=c.length,f=0,p=0,g=0;g<u.length;g++)f+=i(u[g]);for(var v=0;v<c.length;v++)p+=i(c[v]);return{indegree:Math.pow(d,1-s)*Math.pow(f,s),outdegree:Math.pow(h,1-s)*Math.pow(p,s)}}for(var y=a.connectedEdges().intersection(n),m=y.length,b=0,x=0;x<y.length;x++)b+=i(y[x]);return{degree:Math.pow(m,1-s)*Math.pow(b,s)}}};Vn.dc=Vn.degreeCentrality,Vn.dcn=Vn.degreeCentralityNormalised=Vn.degreeCentralityNormalized;var Fn=ct({harmonic:!0,weight:function(){return 1},directed:!1,root:null}),Xn={closenessCentralityNormalized:function(e){for(var t=Fn(e),n=t.harmonic,r=t.weight,a=t.directed,i=this.cy(),o={},s=0,l=this.nodes(),u=this.floydWarshall({weight:r,directed:a}),c=0;c<l.length;c++){for(var d=0,h=l[c],f=0;f<l.length;f++)if(c!==f){var p=u.distance(h,l[f]);d+=n?1/p:p}n||(d=1/d),s<d&&(s=d),o[h.id()]=d}return{closeness:function(e){return 0==s?0:(e=W(e)?i.filter(e)[0].id():e.id(),o[e]/s)}}},closenessCentrality:function(e){var t=Fn(e),n=t.root,r=t.weight,a=t.directed,i=t.harmonic;n=this.filter(n)[0];for(var o=this.dijkstra({root:n,weight:r,directed:a}),s=0,l=this.nodes(),u=0;u<l.length;u++){var c=l[u];if(!c.same(n)){var d=o.distanceTo(c);s+=i?1/d:d}}return i?s:1/s}};Xn.cc=Xn.closenessCentrality,Xn.ccn=Xn.closenessCentralityNormalised=Xn.closenessCentralityNormalized;var jn=ct({weight:null,directed:!1}),Yn={betweennessCentrality:function(e){for(var t=jn(e),n=t.directed,r=t.weight,a=null!=r,i=this.cy(),o=this.nodes(),s={},l={},u=0,c=function(e,t){l[e]=t,t>u&&(u=t)},d=function(e){return l[e]},h=0;h<o.length;h++){var f=o[h],p=f.id();s[p]=n?f.outgoers().nodes():f.openNeighborhood().nodes(),c(p,0)}for(var g=function(){for(var e=o[v].id(),t=[],n={},l={},u={},h=new Bt((function(e,t){return u[e]-u[t]})),f=0;f<o.length;f++){var p=o[f].id();n[p]=[],l[p]=0,u[p]=1/0}for(l[e]=1,u[e]=0,h.push(e);!h.empty();){var g=h.pop();if(t.push(g),a)for(var y=0;y<s[g].length;y++){var m=s[g][y],b=i.getElementById(g),x=void 0;x=b.edgesTo(m).length>0?b.edgesTo(m)[0]:m.edgesTo(b)[0];var w=r(x);m=m.id(),u[m]>u[g]+w&&(u[m]=u[g]+w,h.nodes.indexOf(m)<0?h.push(m):h.updateItem(m),l[m]=0,n[m]=[]),u[m]==u[g]+w&&(l[m]=l[m]+l[g],n[m].push(g))}else for(var E=0;E<s[g].length;E++){var k=s[g][E].id();u[k]==1/0&&(h.push(k),u[k]=u[g]+1),u[k]==u[g]+1&&(l[k]=l[k]+l[g],n[k].push(g))}}for(var T={},C=0;C<o.length;C++)T[o[C].id()]=0;for(;t.length>0;){for(var P=t.pop(),S=0;S<n[P].length;S++){var B=n[P][S];T[B]=T[B]+l[B]/l[P]*(1+T[P])}P!=o[v].id()&&c(P,d(P)+T[P])}},v=0;v<o.length;v++)g();var y={betweenness:function(e){var t=i.collection(e).id();return d(t)},betweennessNormalized:function(e){if(0==u)return 0;var t=i.collection(e).id();return d(t)/u}};return y.betweennessNormalised=y.betweennessNormalized,y}};Yn.bc=Yn.betweennessCentrality;var qn=ct({expandFactor:2,inflateFactor:2,multFactor:1,maxIterations:20,attributes:[function(e){return 1}]}),Wn=function(e,t){for(var n=0,r=0;r<t.length;r++)n+=t[r](e);return n},Un=function(e,t){for(var n,r=0;r<t;r++){n=0;for(var a=0;a<t;a++)n+=e[a*t+r];for(var i=0;i<t;i++)e[i*t+r]=e[i*t+r]/n}},Hn=function(e,t,n){for(var r=new Array(n*n),a=0;a<n;a++){for(var i=0;i<n;i++)r[a*n+i]=0;for(var o=0;o<n;o++)for(var s=0;s<n;s++)r[a*n+s]+=e[a*n+o]*t[o*n+s]}return r},Kn=function(e,t,n){for(var r=e.slice(0),a=1;a<n;a++)e=Hn(e,r,t);return e},Gn=function(e,t,n){for(var r=new Array(t*t),a=0;a<t*t;a++)r[a]=Math.pow(e[a],n);return Un(r,t),r},Zn=function(e,t,n,r){for(var a=0;a<n;a++){if(Math.round(e[a]*Math.pow(10,r))/Math.pow(10,r)!==Math.round(t[a]*Math.pow(10,r))/Math.pow(10,r))return!1}return!0},$n=function(e,t){for(var n=0;n<e.length;n++)if(!t[n]||e[n].id()!==t[n].id())return!1;return!0},Qn=function(e){for(var t=this.nodes(),n=this.edges(),r=this.cy(),a=function(e){return qn(e)}(e),i={},o=0;o<t.length;o++)i[t[o].id()]=o;for(var s,l=t.length,u=l*l,c=new Array(u),d=0;d<u;d++)c[d]=0;for(var h=0;h<n.length;h++){var f=n[h],p=i[f.source().id()],g=i[f.target().id()],v=Wn(f,a.attributes);c[p*l+g]+=v,c[g*l+p]+=v}!function(e,t,n){for(var r=0;r<t;r++)e[r*t+r]=n}(c,l,a.multFactor),Un(c,l);for(var y=!0,m=0;y&&m<a.maxIterations;)y=!1,s=Kn(c,l,a.expandFactor),c=Gn(s,l,a.inflateFactor),Zn(c,s,u,4)||(y=!0),m++;var b=function(e,t,n,r){for(var a=[],i=0;i<t;i++){for(var o=[],s=0;s<t;s++)Math.round(1e3*e[i*t+s])/1e3>0&&o.push(n[s]);0!==o.length&&a.push(r.collection(o))}return a}(c,l,t,r);return b=function(e){for(var t=0;t<e.length;t++)for(var n=0;n<e.length;n++)t!=n&&$n(e[t],e[n])&&e.splice(n,1);return e}(b),b},Jn={markovClustering:Qn,mcl:Qn},er=function(e){return e},tr=function(e,t){return Math.abs(t-e)},nr=function(e,t,n){return e+tr(t,n)},rr=function(e,t,n){return e+Math.pow(n-t,2)},ar=function(e){return Math.sqrt(e)},ir=function(e,t,n){return Math.max(e,tr(t,n))},or=function(e,t,n,r,a){for(var i=arguments.length>5&&void 0!==arguments[5]?arguments[5]:er,o=r,s=0;s<e;s++)o=a(o,t(s),n(s));return i(o)},sr={euclidean:function(e,t,n){return e>=2?or(e,t,n,0,rr,ar):or(e,t,n,0,nr)},squaredEuclidean:function(e,t,n){return or(e,t,n,0,rr)},manhattan:function(e,t,n){return or(e,t,n,0,nr)},max:function(e,t,n){return or(e,t,n,-1/0,ir)}};function lr(e,t,n,r,a,i){var o;return o=U(e)?e:sr[e]||sr.euclidean,0===t&&U(e)?o(a,i):o(t,n,r,a,i)}sr["squared-euclidean"]=sr.squaredEuclidean,sr.squaredeuclidean=sr.squaredEuclidean;var ur=ct({k:2,m:2,sensitivityThreshold:1e-4,distance:"euclidean",maxIterations:10,attributes:[],testMode:!1,testCentroids:null}),cr=function(e){return ur(e)},dr=function(e,t,n,r,a){var i="kMedoids"!==a?function(e){return n[e]}:function(e){return r[e](n)},o=n,s=t;return lr(e,r.length,i,(function(e){return r[e](t)}),o,s)},hr=function(e,t,n){for(var r=n.length,a=new Array(r),i=new Array(r),o=new Array(t),s=null,l=0;l<r;l++)a[l]=e.min(n[l]).value,i[l]=e.max(n[l]).value;for(var u=0;u<t;u++){s=[];for(var c=0;c<r;c++)s[c]=Math.random()*(i[c]-a[c])+a[c];o[u]=s}return o},fr=function(e,t,n,r,a){for(var i=1/0,o=0,s=0;s<t.length;s++){var l=dr(n,e,t[s],r,a);l<i&&(i=l,o=s)}return o},pr=function(e,t,n){for(var r=[],a=null,i=0;i<t.length;i++)n[(a=t[i]).id()]===e&&r.push(a);return r},gr=function(e,t,n){return Math.abs(t-e)<=n},vr=function(e,t,n){for(var r=0;r<e.length;r++)for(var a=0;a<e[r].length;a++){if(Math.abs(e[r][a]-t[r][a])>n)return!1}return!0},yr=function(e,t,n){for(var r=0;r<n;r++)if(e===t[r])return!0;return!1},mr=function(e,t){var n=new Array(t);if(e.length<50)for(var r=0;r<t;r++){for(var a=e[Math.floor(Math.random()*e.length)];yr(a,n,r);)a=e[Math.floor(Math.random()*e.length)];n[r]=a}else for(var i=0;i<t;i++)n[i]=e[Math.floor(Math.random()*e.length)];return n},br=function(e,t,n){for(var r=0,a=0;a<t.length;a++)r+=dr("manhattan",t[a],e,n,"kMedoids");return r},xr=function(e,t,n,r,a){for(var i,o,s=0;s<t.length;s++)for(var l=0;l<e.length;l++)r[s][l]=Math.pow(n[s][l],a.m);for(var u=0;u<e.length;u++)for(var c=0;c<a.attributes.length;c++){i=0,o=0;for(var d=0;d<t.length;d++)i+=r[d][u]*a.attributes[c](t[d]),o+=r[d][u];e[u][c]=i/o}},wr=function(e,t,n,r,a){for(var i=0;i<e.length;i++)t[i]=e[i].slice();for(var o,s,l,u=2/(a.m-1),c=0;c<n.length;c++)for(var d=0;d<r.length;d++){o=0;for(var h=0;h<n.length;h++)s=dr(a.distance,r[d],n[c],a.attributes,"cmeans"),l=dr(a.distance,r[d],n[h],a.attributes,"cmeans"),o+=Math.pow(s/l,u);e[d][c]=1/o}},Er=function(e){var t,n,r,a,i,o=this.cy(),s=this.nodes(),l=cr(e);a=new Array(s.length);for(var u=0;u<s.length;u++)a[u]=new Array(l.k);r=new Array(s.length);for(var c=0;c<s.length;c++)r[c]=new Array(l.k);for(var d=0;d<s.length;d++){for(var h=0,f=0;f<l.k;f++)r[d][f]=Math.random(),h+=r[d][f];for(var p=0;p<l.k;p++)r[d][p]=r[d][p]/h}n=new Array(l.k);for(var g=0;g<l.k;g++)n[g]=new Array(l.attributes.length);i=new Array(s.length);for(var v=0;v<s.length;v++)i[v]=new Array(l.k);for(var y=!0,m=0;y&&m<l.maxIterations;)y=!1,xr(n,s,r,i,l),wr(r,a,n,s,l),vr(r,a,l.sensitivityThreshold)||(y=!0),m++;return t=function(e,t,n,r){for(var a,i,o=new Array(n.k),s=0;s<o.length;s++)o[s]=[];for(var l=0;l<t.length;l++){a=-1/0,i=-1;for(var u=0;u<t[0].length;u++)t[l][u]>a&&(a=t[l][u],i=u);o[i].push(e[l])}for(var c=0;c<o.length;c++)o[c]=r.collection(o[c]);return o}(s,r,l,o),{clusters:t,degreeOfMembership:r}},kr={kMeans:function(e){var t,n=this.cy(),r=this.nodes(),a=null,i=cr(e),o=new Array(i.k),s={};i.testMode?"number"==typeof i.testCentroids?(i.testCentroids,t=hr(r,i.k,i.attributes)):t="object"===l(i.testCentroids)?i.testCentroids:hr(r,i.k,i.attributes):t=hr(r,i.k,i.attributes);for(var u=!0,c=0;u&&c<i.maxIterations;){for(var d=0;d<r.length;d++)s[(a=r[d]).id()]=fr(a,t,i.distance,i.attributes,"kMeans");u=!1;for(var h=0;h<i.k;h++){var f=pr(h,r,s);if(0!==f.length){for(var p=i.attributes.length,g=t[h],v=new Array(p),y=new Array(p),m=0;m<p;m++){y[m]=0;for(var b=0;b<f.length;b++)a=f[b],y[m]+=i.attributes[m](a);v[m]=y[m]/f.length,gr(v[m],g[m],i.sensitivityThreshold)||(u=!0)}t[h]=v,o[h]=n.collection(f)}}c++}return o},kMedoids:function(e){var t,n,r=this.cy(),a=this.nodes(),i=null,o=cr(e),s=new Array(o.k),u={},c=new Array(o.k);o.testMode?"number"==typeof o.testCentroids||(t="object"===l(o.testCentroids)?o.testCentroids:mr(a,o.k)):t=mr(a,o.k);for(var d=!0,h=0;d&&h<o.maxIterations;){for(var f=0;f<a.length;f++)u[(i=a[f]).id()]=fr(i,t,o.distance,o.attributes,"kMedoids");d=!1;for(var p=0;p<t.length;p++){var g=pr(p,a,u);if(0!==g.length){c[p]=br(t[p],g,o.attributes);for(var v=0;v<g.length;v++)(n=br(g[v],g,o.attributes))<c[p]&&(c[p]=n,t[p]=g[v],d=!0);s[p]=r.collection(g)}}h++}return s},fuzzyCMeans:Er,fcm:Er},Tr=ct({distance:"euclidean",linkage:"min",mode:"threshold",threshold:1/0,addDendrogram:!1,dendrogramDepth:0,attributes:[]}),Cr={single:"min",complete:"max"},Pr=function(e,t,n,r,a){for(var i,o=0,s=1/0,l=a.attributes,u=function(e,t){return lr(a.distance,l.length,(function(t){return l[t](e)}),(function(e){return l[e](t)}),e,t)},c=0;c<e.length;c++){var d=e[c].key,h=n[d][r[d]];h<s&&(o=d,s=h)}if("threshold"===a.mode&&s>=a.threshold||"dendrogram"===a.mode&&1===e.length)return!1;var f,p=t[o],g=t[r[o]];f="dendrogram"===a.mode?{left:p,right:g,key:p.key}:{value:p.value.concat(g.value),key:p.key},e[p.index]=f,e.splice(g.index,1),t[p.key]=f;for(var v=0;v<e.length;v++){var y=e[v];p.key===y.key?i=1/0:"min"===a.linkage?(i=n[p.key][y.key],n[p.key][y.key]>n[g.key][y.key]&&(i=n[g.key][y.key])):"max"===a.linkage?(i=n[p.key][y.key],n[p.key][y.key]<n[g.key][y.key]&&(i=n[g.key][y.key])):i="mean"===a.linkage?(n[p.key][y.key]*p.size+n[g.key][y.key]*g.size)/(p.size+g.size):"dendrogram"===a.mode?u(y.value,p.value):u(y.value[0],p.value[0]),n[p.key][y.key]=n[y.key][p.key]=i}for(var m=0;m<e.length;m++){var b=e[m].key;if(r[b]===p.key||r[b]===g.key){for(var x=b,w=0;w<e.length;w++){var E=e[w].key;n[b][E]<n[b][x]&&(x=E)}r[b]=x}e[m].index=m}return p.key=g.key=p.index=g.index=null,!0},Sr=function(e,t,n){e&&(e.value?t.push(e.value):(e.left&&Sr(e.left,t),e.right&&Sr(e.right,t)))},Br=function(e,t){if(!e)return"";if(e.left&&e.right){var n=Br(e.left,t),r=Br(e.right,t),a=t.add({group:"nodes",data:{id:n+","+r}});return t.add({group:"edges",data:{source:n,target:a.id()}}),t.add({group:"edges",data:{source:r,target:a.id()}}),a.id()}return e.value?e.value.id():void 0},Dr=function(e,t,n){if(!e)return[];var r=[],a=[],i=[];return 0===t?(e.left&&Sr(e.left,r),e.right&&Sr(e.right,a),i=r.concat(a),[n.collection(i)]):1===t?e.value?[n.collection(e.value)]:(e.left&&Sr(e.left,r),e.right&&Sr(e.right,a),[n.collection(r),n.collection(a)]):e.value?[n.collection(e.value)]:(e.left&&(r=Dr(e.left,t-1,n)),e.right&&(a=Dr(e.right,t-1,n)),r.concat(a))},_r=function(e){for(var t=this.cy(),n=this.nodes(),r=function(e){var t=Tr(e),n=Cr[t.linkage];return null!=n&&(t.linkage=n),t}(e),a=r.attributes,i=function(e,t){return lr(r.distance,a.length,(function(t){return a[t](e)}),(function(e){return a[e](t)}),e,t)},o=[],s=[],l=[],u=[],c=0;c<n.length;c++){var d={value:"dendrogram"===r.mode?n[c]:[n[c]],key:c,index:c};o[c]=d,u[c]=d,s[c]=[],l[c]=0}for(var h=0;h<o.length;h++)for(var f=0;f<=h;f++){var p=void 0;p="dendrogram"===r.mode?h===f?1/0:i(o[h].value,o[f].value):h===f?1/0:i(o[h].value[0],o[f].value[0]),s[h][f]=p,s[f][h]=p,p<s[h][l[h]]&&(l[h]=f)}for(var g,v=Pr(o,u,s,l,r);v;)v=Pr(o,u,s,l,r);return"dendrogram"===r.mode?(g=Dr(o[0],r.dendrogramDepth,t),r.addDendrogram&&Br(o[0],t)):(g=new Array(o.length),o.forEach((function(e,n){e.key=e.index=null,g[n]=t.collection(e.value)}))),g},Ar={hierarchicalClustering:_r,hca:_r},Mr=ct({distance:"euclidean",preference:"median",damping:.8,maxIterations:1e3,minIterations:100,attributes:[]}),Rr=function(e,t,n,r){var a=function(e,t){return r[t](e)};return-lr(e,r.length,(function(e){return a(t,e)}),(function(e){return a(n,e)}),t,n)},Ir=function(e,t){var n=null;return n="median"===t?function(e){var t=arguments.length>1&&void 0!==arguments[1]?arguments[1]:0,n=arguments.length>2&&void 0!==arguments[2]?arguments[2]:e.length,r=!(arguments.length>4&&void 0!==arguments[4])||arguments[4],a=!(arguments.length>5&&void 0!==arguments[5])||arguments[5];arguments.length>3&&void 0!==arguments[3]&&!arguments[3]?(n<e.length&&e.splice(n,e.length-n),t>0&&e.splice(0,t)):e=e.slice(t,n);for(var i=0,o=e.length-1;o>=0;o--){var s=e[o];a?isFinite(s)||(e[o]=-1/0,i++):e.splice(o,1)}r&&e.sort((function(e,t){return e-t}));var l=e.length,u=Math.floor(l/2);return l%2!=0?e[u+1+i]:(e[u-1+i]+e[u+i])/2}(e):"mean"===t?function(e){for(var t=arguments.length>1&&void 0!==arguments[1]?arguments[1]:0,n=arguments.length>2&&void 0!==arguments[2]?arguments[2]:e.length,r=0,a=0,i=t;i<n;i++){var o=e[i];isFinite(o)&&(r+=o,a++)}return r/a}(e):"min"===t?function(e){for(var t=arguments.length>1&&void 0!==arguments[1]?arguments[1]:0,n=arguments.length>2&&void 0!==arguments[2]?arguments[2]:e.length,r=1/0,a=t;a<n;a++){var i=e[a];isFinite(i)&&(r=Math.min(i,r))}return r}(e):"max"===t?function(e){for(var t=arguments.length>1&&void 0!==arguments[1]?arguments[1]:0,n=arguments.length>2&&void 0!==arguments[2]?arguments[2]:e.length,r=-1/0,a=t;a<n;a++){var i=e[a];isFinite(i)&&(r=Math.max(i,r))}return r}(e):t,n},Nr=function(e,t,n){for(var r=[],a=0;a<e;a++){for(var i=-1,o=-1/0,s=0;s<n.length;s++){var l=n[s];t[a*e+l]>o&&(i=l,o=t[a*e+l])}i>0&&r.push(i)}for(var u=0;u<n.length;u++)r[n[u]]=n[u];return r},Lr=function(e){for(var t,n,r,a,i,o,s=this.cy(),l=this.nodes(),u=function(e){var t=e.damping,n=e.preference;.5<=t&&t<1||rt("Damping must range on [0.5, 1).  Got: ".concat(t));var r=["median","mean","min","max"];return r.some((function(e){return e===n}))||G(n)||rt("Preference must be one of [".concat(r.map((function(e){return"'".concat(e,"'")})).join(", "),"] or a number.  Got: ").concat(n)),Mr(e)}(e),c={},d=0;d<l.length;d++)c[l[d].id()]=d;n=(t=l.length)*t,r=new Array(n);for(var h=0;h<n;h++)r[h]=-1/0;for(var f=0;f<t;f++)for(var p=0;p<t;p++)f!==p&&(r[f*t+p]=Rr(u.distance,l[f],l[p],u.attributes));a=Ir(r,u.preference);for(var g=0;g<t;g++)r[g*t+g]=a;i=new Array(n);for(var v=0;v<n;v++)i[v]=0;o=new Array(n);for(var y=0;y<n;y++)o[y]=0;for(var m=new Array(t),b=new Array(t),x=new Array(t),w=0;w<t;w++)m[w]=0,b[w]=0,x[w]=0;for(var E,k=new Array(t*u.minIterations),T=0;T<k.length;T++)k[T]=0;for(E=0;E<u.maxIterations;E++){for(var C=0;C<t;C++){for(var P=-1/0,S=-1/0,B=-1,D=0,_=0;_<t;_++)m[_]=i[C*t+_],(D=o[C*t+_]+r[C*t+_])>=P?(S=P,P=D,B=_):D>S&&(S=D);for(var A=0;A<t;A++)i[C*t+A]=(1-u.damping)*(r[C*t+A]-P)+u.damping*m[A];i[C*t+B]=(1-u.damping)*(r[C*t+B]-S)+u.damping*m[B]}for(var M=0;M<t;M++){for(var R=0,I=0;I<t;I++)m[I]=o[I*t+M],b[I]=Math.max(0,i[I*t+M]),R+=b[I];R-=b[M],b[M]=i[M*t+M],R+=b[M];for(var N=0;N<t;N++)o[N*t+M]=(1-u.damping)*Math.min(0,R-b[N])+u.damping*m[N];o[M*t+M]=(1-u.damping)*(R-b[M])+u.damping*m[M]}for(var L=0,z=0;z<t;z++){var O=o[z*t+z]+i[z*t+z]>0?1:0;k[E%u.minIterations*t+z]=O,L+=O}if(L>0&&(E>=u.minIterations-1||E==u.maxIterations-1)){for(var V=0,F=0;F<t;F++){x[F]=0;for(var X=0;X<u.minIterations;X++)x[F]+=k[X*t+F];0!==x[F]&&x[F]!==u.minIterations||V++}if(V===t)break}}for(var j=function(e,t,n){for(var r=[],a=0;a<e;a++)t[a*e+a]+n[a*e+a]>0&&r.push(a);return r}(t,i,o),Y=function(e,t,n){for(var r=Nr(e,t,n),a=0;a<n.length;a++){for(var i=[],o=0;o<r.length;o++)r[o]===n[a]&&i.push(o);for(var s=-1,l=-1/0,u=0;u<i.length;u++){for(var c=0,d=0;d<i.length;d++)c+=t[i[d]*e+i[u]];c>l&&(s=u,l=c)}n[a]=i[s]}return Nr(e,t,n)}(t,r,j),q={},W=0;W<j.length;W++)q[j[W]]=[];for(var U=0;U<l.length;U++){var H=Y[c[l[U].id()]];null!=H&&q[H].push(l[U])}for(var K=new Array(j.length),Z=0;Z<j.length;Z++)K[Z]=s.collection(q[j[Z]]);return K},zr={affinityPropagation:Lr,ap:Lr},Or=ct({root:void 0,directed:!1}),Vr={hierholzer:function(e){if(!K(e)){var t=arguments;e={root:t[0],directed:t[1]}}var n,r,a,i=Or(e),o=i.root,s=i.directed,l=this,u=!1;o&&(a=W(o)?this.filter(o)[0].id():o[0].id());var c={},d={},h=l.edges().filter((function(e){return l.has(e.source())&&l.has(e.target())}));s?l.forEach((function(e){var t=e.id();if(e.isNode()){var a=e.incomers().edges().intersection(h),i=e.outgoers().edges().intersection(h),o=a.length,s=i.length,l=o-s,f=s-o;1==l?n?u=!0:n=t:1==f?r?u=!0:r=t:(f>1||l>1)&&(u=!0),c[t]=[],i.forEach((function(e){return c[t].push(e.id())}))}else d[t]=[void 0,e.target().id()]})):l.forEach((function(e){var t=e.id();if(e.isNode()){var a=e.connectedEdges().intersection(h);(a.length+a.filter((function(e){return e.isLoop()})).length)%2&&(n?r?u=!0:r=t:n=t),c[t]=[],a.forEach((function(e){return c[t].push(e.id())}))}else d[t]=[e.source().id(),e.target().id()]}));var f={found:!1,trail:void 0};if(u)return f;if(r&&n)if(s){if(a&&r!=a)return f;a=r}else{if(a&&r!=a&&n!=a)return f;a||(a=r)}else a||(a=l[0].id());var p=function(e){for(var t,n,r,a=e,i=[e];c[a].length;)t=c[a].shift(),n=d[t][0],a!=(r=d[t][1])?(c[r]=c[r].filter((function(e){return e!=t})),a=r):s||a==n||(c[n]=c[n].filter((function(e){return e!=t})),a=n),i.unshift(t),i.unshift(a);return i},g=[],v=[];for(v=p(a);1!=v.length;)0==c[v[0]].length?(g.unshift(l.getElementById(v.shift())),g.unshift(l.getElementById(v.shift()))):v=p(v.shift()).concat(v);for(var y in g.unshift(l.getElementById(v.shift())),c)if(c[y].length)return f;return f.found=!0,f.trail=this.spawn(g,!0),f}},Fr=function(){var e=this,t={},n=0,r=0,a=[],i=[],o={},s=function(l,u,c){l===c&&(r+=1),t[u]={id:n,low:n++,cutVertex:!1};var d,h,f,p,g=e.getElementById(u).connectedEdges().intersection(e);0===g.size()?a.push(e.spawn(e.getElementById(u))):g.forEach((function(n){d=n.source().id(),h=n.target().id(),(f=d===u?h:d)!==c&&(p=n.id(),o[p]||(o[p]=!0,i.push({x:u,y:f,edge:n})),f in t?t[u].low=Math.min(t[u].low,t[f].id):(s(l,f,u),t[u].low=Math.min(t[u].low,t[f].low),t[u].id<=t[f].low&&(t[u].cutVertex=!0,function(n,r){for(var o=i.length-1,s=[],l=e.spawn();i[o].x!=n||i[o].y!=r;)s.push(i.pop().edge),o--;s.push(i.pop().edge),s.forEach((function(n){var r=n.connectedNodes().intersection(e);l.merge(n),r.forEach((function(n){var r=n.id(),a=n.connectedEdges().intersection(e);l.merge(n),t[r].cutVertex?l.merge(a.filter((function(e){return e.isLoop()}))):l.merge(a)}))})),a.push(l)}(u,f))))}))};e.forEach((function(e){if(e.isNode()){var n=e.id();n in t||(r=0,s(n,n),t[n].cutVertex=r>1)}}));var l=Object.keys(t).filter((function(e){return t[e].cutVertex})).map((function(t){return e.getElementById(t)}));return{cut:e.spawn(l),components:a}},Xr=function(){var e=this,t={},n=0,r=[],a=[],i=e.spawn(e),o=function(s){if(a.push(s),t[s]={index:n,low:n++,explored:!1},e.getElementById(s).connectedEdges().intersection(e).forEach((function(e){var n=e.target().id();n!==s&&(n in t||o(n),t[n].explored||(t[s].low=Math.min(t[s].low,t[n].low)))})),t[s].index===t[s].low){for(var l=e.spawn();;){var u=a.pop();if(l.merge(e.getElementById(u)),t[u].low=t[s].index,t[u].explored=!0,u===s)break}var c=l.edgesWith(l),d=l.merge(c);r.push(d),i=i.difference(d)}};return e.forEach((function(e){if(e.isNode()){var n=e.id();n in t||o(n)}})),{cut:i,components:r}},jr={};[xt,_t,At,Rt,Nt,zt,Xt,zn,Vn,Xn,Yn,Jn,kr,Ar,zr,Vr,{hopcroftTarjanBiconnected:Fr,htbc:Fr,htb:Fr,hopcroftTarjanBiconnectedComponents:Fr},{tarjanStronglyConnected:Xr,tsc:Xr,tscc:Xr,tarjanStronglyConnectedComponents:Xr}].forEach((function(e){ye(jr,e)}));
/*!
  Embeddable Minimum Strictly-Compliant Promises/A+ 1.1.1 Thenable
  Copyright (c) 2013-2014 Ralf S. Engelschall (http://engelschall.com)
  Licensed under The MIT License (http://opensource.org/licenses/MIT)
  */
var Yr=function(e){if(!(this instanceof Yr))return new Yr(e);this.id="Thenable/1.0.7",this.state=0,this.fulfillValue=void 0,this.rejectReason=void 0,this.onFulfilled=[],this.onRejected=[],this.proxy={then:this.then.bind(this)},"function"==typeof e&&e.call(this,this.fulfill.bind(this),this.reject.bind(this))};Yr.prototype={fulfill:function(e){return qr(this,1,"fulfillValue",e)},reject:function(e){return qr(this,2,"rejectReason",e)},then:function(e,t){var n=this,r=new Yr;return n.onFulfilled.push(Hr(e,r,"fulfill")),n.onRejected.push(Hr(t,r,"reject")),Wr(n),r.proxy}};var qr=function(e,t,n,r){return 0===e.state&&(e.state=t,e[n]=r,Wr(e)),e},Wr=function(e){1===e.state?Ur(e,"onFulfilled",e.fulfillValue):2===e.state&&Ur(e,"onRejected",e.rejectReason)},Ur=function(e,t,n){if(0!==e[t].length){var r=e[t];e[t]=[];var a=function(){for(var e=0;e<r.length;e++)r[e](n)};"function"==typeof setImmediate?setImmediate(a):setTimeout(a,0)}},Hr=function(e,t,n){return function(r){if("function"!=typeof e)t[n].call(t,r);else{var a;try{a=e(r)}catch(e){return void t.reject(e)}Kr(t,a)}}},Kr=function(e,t){if(e!==t&&e.proxy!==t){var n;if("object"===l(t)&&null!==t||"function"==typeof t)try{n=t.then}catch(t){return void e.reject(t)}if("function"!=typeof n)e.fulfill(t);else{var r=!1;try{n.call(t,(function(n){r||(r=!0,n===t?e.reject(new TypeError("circular thenable chain")):Kr(e,n))}),(function(t){r||(r=!0,e.reject(t))}))}catch(t){r||e.reject(t)}}}else e.reject(new TypeError("cannot resolve promise with itself"))};Yr.all=function(e){return new Yr((function(t,n){for(var r=new Array(e.length),a=0,i=function(n,i){r[n]=i,++a===e.length&&t(r)},o=0;o<e.length;o++)!function(t){var r=e[t];null!=r&&null!=r.then?r.then((function(e){i(t,e)}),(function(e){n(e)})):i(t,r)}(o)}))},Yr.resolve=function(e){return new Yr((function(t,n){t(e)}))},Yr.reject=function(e){return new Yr((function(t,n){n(e)}))};var Gr="undefined"!=typeof Promise?Promise:Yr,Zr=function(e,t,n){var r=te(e),a=!r,i=this._private=ye({duration:1e3},t,n);if(i.target=e,i.style=i.style||i.css,i.started=!1,i.playing=!1,i.hooked=!1,i.applying=!1,i.progress=0,i.completes=[],i.frames=[],i.complete&&U(i.complete)&&i.completes.push(i.complete),a){var o=e.position();i.startPosition=i.startPosition||{x:o.x,y:o.y},i.startStyle=i.startStyle||e.cy().style().getAnimationStartStyle(e,i.style)}if(r){var s=e.pan();i.startPan={x:s.x,y:s.y},i.startZoom=e.zoom()}this.length=1,this[0]=this},$r=Zr.prototype;ye($r,{instanceString:function(){return"animation"},hook:function(){var e=this._private;if(!e.hooked){var t=e.target._private.animation;(e.queue?t.queue:t.current).push(this),Q(e.target)&&e.target.cy().addToAnimationPool(e.target),e.hooked=!0}return this},play:function(){var e=this._private;return 1===e.progress&&(e.progress=0),e.playing=!0,e.started=!1,e.stopped=!1,this.hook(),this},playing:function(){return this._private.playing},apply:function(){var e=this._private;return e.applying=!0,e.started=!1,e.stopped=!1,this.hook(),this},applying:function(){return this._private.applying},pause:function(){var e=this._private;return e.playing=!1,e.started=!1,this},stop:function(){var e=this._private;return e.playing=!1,e.started=!1,e.stopped=!0,this},rewind:function(){return this.progress(0)},fastforward:function(){return this.progress(1)},time:function(e){var t=this._private;return void 0===e?t.progress*t.duration:this.progress(e/t.duration)},progress:function(e){var t=this._private,n=t.playing;return void 0===e?t.progress:(n&&this.pause(),t.progress=e,t.started=!1,n&&this.play(),this)},completed:function(){return 1===this._private.progress},reverse:function(){var e=this._private,t=e.playing;t&&this.pause(),e.progress=1-e.progress,e.started=!1;var n=function(t,n){var r=e[t];null!=r&&(e[t]=e[n],e[n]=r)};if(n("zoom","startZoom"),n("pan","startPan"),n("position","startPosition"),e.style)for(var r=0;r<e.style.length;r++){var a=e.style[r],i=a.name,o=e.startStyle[i];e.startStyle[i]=a,e.style[r]=o}return t&&this.play(),this},promise:function(e){var t,n=this._private;if("frame"===e)t=n.frames;else t=n.completes;return new Gr((function(e,n){t.push((function(){e()}))}))}}),$r.complete=$r.completed,$r.run=$r.play,$r.running=$r.playing;var Qr,Jr,ea,ta,na,ra,aa,ia,oa,sa,la,ua,ca,da,ha,fa,pa,ga,va,ya,ma,ba,xa,wa,Ea,ka,Ta,Ca,Pa,Sa,Ba,Da,_a,Aa,Ma,Ra,Ia,Na,La,za,Oa,Va,Fa,Xa,ja,Ya,qa,Wa,Ua,Ha,Ka,Ga,Za,$a,Qa,Ja,ei,ti,ni,ri,ai,ii,oi,si,li,ui,ci,di,hi,fi,pi,gi,vi,yi,mi,bi,xi,wi,Ei,ki,Ti,Ci,Pi,Si,Bi,Di,_i={animated:function(){return function(){var e=this,t=void 0!==e.length?e:[e];if(!(this._private.cy||this).styleEnabled())return!1;var n=t[0];return n?n._private.animation.current.length>0:void 0}},clearQueue:function(){return function(){var e=this,t=void 0!==e.length?e:[e];if(!(this._private.cy||this).styleEnabled())return this;for(var n=0;n<t.length;n++){t[n]._private.animation.queue=[]}return this}},delay:function(){return function(e,t){return(this._private.cy||this).styleEnabled()?this.animate({delay:e,duration:e,complete:t}):this}},delayAnimation:function(){return function(e,t){return(this._private.cy||this).styleEnabled()?this.animation({delay:e,duration:e,complete:t}):this}},animation:function(){return function(e,t){var n=this,r=void 0!==n.length,a=r?n:[n],i=this._private.cy||this,o=!r,s=!o;if(!i.styleEnabled())return this;var l=i.style();if(e=ye({},e,t),0===Object.keys(e).length)return new Zr(a[0],e);switch(void 0===e.duration&&(e.duration=400),e.duration){case"slow":e.duration=600;break;case"fast":e.duration=200}if(s&&(e.style=l.getPropsList(e.style||e.css),e.css=void 0),s&&null!=e.renderedPosition){var u=e.renderedPosition,c=i.pan(),d=i.zoom();e.position=Yt(u,d,c)}if(o&&null!=e.panBy){var h=e.panBy,f=i.pan();e.pan={x:f.x+h.x,y:f.y+h.y}}var p=e.center||e.centre;if(o&&null!=p){var g=i.getCenterPan(p.eles,e.zoom);null!=g&&(e.pan=g)}if(o&&null!=e.fit){var v=e.fit,y=i.getFitViewport(v.eles||v.boundingBox,v.padding);null!=y&&(e.pan=y.pan,e.zoom=y.zoom)}if(o&&K(e.zoom)){var m=i.getZoomedViewport(e.zoom);null!=m?(m.zoomed&&(e.zoom=m.zoom),m.panned&&(e.pan=m.pan)):e.zoom=null}return new Zr(a[0],e)}},animate:function(){return function(e,t){var n=this,r=void 0!==n.length?n:[n];if(!(this._private.cy||this).styleEnabled())return this;t&&(e=ye({},e,t));for(var a=0;a<r.length;a++){var i=r[a],o=i.animated()&&(void 0===e.queue||e.queue);i.animation(e,o?{queue:!0}:void 0).play()}return this}},stop:function(){return function(e,t){var n=this,r=void 0!==n.length?n:[n],a=this._private.cy||this;if(!a.styleEnabled())return this;for(var i=0;i<r.length;i++){for(var o=r[i]._private,s=o.animation.current,l=0;l<s.length;l++){var u=s[l]._private;t&&(u.duration=0)}e&&(o.animation.queue=[]),t||(o.animation.current=[])}return a.notify("draw"),this}}};function Ai(){if(Jr)return Qr;Jr=1;var e=Array.isArray;return Qr=e}function Mi(){if(sa)return oa;sa=1;var e,t=function(){if(ia)return aa;ia=1;var e=Ce()["__core-js_shared__"];return aa=e}(),n=(e=/[^.]+$/.exec(t&&t.keys&&t.keys.IE_PROTO||""))?"Symbol(src)_1."+e:"";return oa=function(e){return!!n&&n in e}}function Ri(){if(da)return ca;da=1;var e=function(){if(ra)return na;ra=1;var e=Be(),t=Te();return na=function(n){if(!t(n))return!1;var r=e(n);return"[object Function]"==r||"[object GeneratorFunction]"==r||"[object AsyncFunction]"==r||"[object Proxy]"==r}}(),t=Mi(),n=Te(),r=function(){if(ua)return la;ua=1;var e=Function.prototype.toString;return la=function(t){if(null!=t){try{return e.call(t)}catch(e){}try{return t+""}catch(e){}}return""}}(),a=/^\[object .+?Constructor\]$/,i=Function.prototype,o=Object.prototype,s=i.toString,l=o.hasOwnProperty,u=RegExp("^"+s.call(l).replace(/[\\^$.*+?()[\]{}|]/g,"\\$&").replace(/hasOwnProperty|(function).*?(?=\\\()| for .+?(?=\\\])/g,"$1.*?")+"$");return ca=function(i){return!(!n(i)||t(i))&&(e(i)?u:a).test(r(i))}}function Ii(){if(ga)return pa;ga=1;var e=Ri(),t=(fa||(fa=1,ha=function(e,t){return null==e?void 0:e[t]}),ha);return pa=function(n,r){var a=t(n,r);return e(a)?a:void 0},pa}function Ni(){if(ya)return va;ya=1;var e=Ii()(Object,"create");return va=e}function Li(){if(Da)return Ba;Da=1;var e=function(){if(ba)return ma;ba=1;var e=Ni();return ma=function(){this.__data__=e?e(null):{},this.size=0}}(),t=wa?xa:(wa=1,xa=function(e){var t=this.has(e)&&delete this.__data__[e];return this.size-=t?1:0,t}),n=function(){if(ka)return Ea;ka=1;var e=Ni(),t=Object.prototype.hasOwnProperty;return Ea=function(n){var r=this.__data__;if(e){var a=r[n];return"__lodash_hash_undefined__"===a?void 0:a}return t.call(r,n)?r[n]:void 0},Ea}(),r=function(){if(Ca)return Ta;Ca=1;var e=Ni(),t=Object.prototype.hasOwnProperty;return Ta=function(n){var r=this.__data__;return e?void 0!==r[n]:t.call(r,n)},Ta}(),a=function(){if(Sa)return Pa;Sa=1;var e=Ni();return Pa=function(t,n){var r=this.__data__;return this.size+=this.has(t)?0:1,r[t]=e&&void 0===n?"__lodash_hash_undefined__":n,this},Pa}();function i(e){var t=-1,n=null==e?0:e.length;for(this.clear();++t<n;){var r=e[t];this.set(r[0],r[1])}}return i.prototype.clear=e,i.prototype.delete=t,i.prototype.get=n,i.prototype.has=r,i.prototype.set=a,Ba=i}function zi(){if(Ra)return Ma;return Ra=1,Ma=function(e,t){return e===t||e!=e&&t!=t}}function Oi(){if(Na)return Ia;Na=1;var e=zi();return Ia=function(t,n){for(var r=t.length;r--;)if(e(t[r][0],n))return r;return-1},Ia}function Vi(){if(Wa)return qa;Wa=1;var e=Aa?_a:(Aa=1,_a=function(){this.__data__=[],this.size=0}),t=function(){if(za)return La;za=1;var e=Oi(),t=Array.prototype.splice;return La=function(n){var r=this.__data__,a=e(r,n);return!(a<0||(a==r.length-1?r.pop():t.call(r,a,1),--this.size,0))},La}(),n=function(){if(Va)return Oa;Va=1;var e=Oi();return Oa=function(t){var n=this.__data__,r=e(n,t);return r<0?void 0:n[r][1]},Oa}(),r=function(){if(Xa)return Fa;Xa=1;var e=Oi();return Fa=function(t){return e(this.__data__,t)>-1}}(),a=function(){if(Ya)return ja;Ya=1;var e=Oi();return ja=function(t,n){var r=this.__data__,a=e(r,t);return a<0?(++this.size,r.push([t,n])):r[a][1]=n,this},ja}();function i(e){var t=-1,n=null==e?0:e.length;for(this.clear();++t<n;){var r=e[t];this.set(r[0],r[1])}}return i.prototype.clear=e,i.prototype.delete=t,i.prototype.get=n,i.prototype.has=r,i.prototype.set=a,qa=i}function Fi(){if(Ga)return Ka;Ga=1;var e=Li(),t=Vi(),n=function(){if(Ha)return Ua;Ha=1;var e=Ii()(Ce(),"Map");return Ua=e}();return Ka=function(){this.size=0,this.__data__={hash:new e,map:new(n||t),string:new e}}}function Xi(){if(Ja)return Qa;Ja=1;var e=$a?Za:($a=1,Za=function(e){var t=typeof e;return"string"==t||"number"==t||"symbol"==t||"boolean"==t?"__proto__"!==e:null===e});return Qa=function(t,n){var r=t.__data__;return e(n)?r["string"==typeof n?"string":"hash"]:r.map},Qa}function ji(){if(ui)return li;ui=1;var e=Fi(),t=function(){if(ti)return ei;ti=1;var e=Xi();return ei=function(t){var n=e(this,t).delete(t);return this.size-=n?1:0,n}}(),n=function(){if(ri)return ni;ri=1;var e=Xi();return ni=function(t){return e(this,t).get(t)}}(),r=function(){if(ii)return ai;ii=1;var e=Xi();return ai=function(t){return e(this,t).has(t)}}(),a=function(){if(si)return oi;si=1;var e=Xi();return oi=function(t,n){var r=e(this,t),a=r.size;return r.set(t,n),this.size+=r.size==a?0:1,this},oi}();function i(e){var t=-1,n=null==e?0:e.length;for(this.clear();++t<n;){var r=e[t];this.set(r[0],r[1])}}return i.prototype.clear=e,i.prototype.delete=t,i.prototype.get=n,i.prototype.has=r,i.prototype.set=a,li=i}function Yi(){if(fi)return hi;fi=1;var e=function(){if(di)return ci;di=1;var e=ji();function t(n,r){if("function"!=typeof n||null!=r&&"function"!=typeof r)throw new TypeError("Expected a function");var a=function(){var e=arguments,t=r?r.apply(this,e):e[0],i=a.cache;if(i.has(t))return i.get(t);var o=n.apply(this,e);return a.cache=i.set(t,o)||i,o};return a.cache=new(t.Cache||e),a}return t.Cache=e,ci=t}();return hi=function(t){var n=e(t,(function(e){return 500===r.size&&r.clear(),e})),r=n.cache;return n},hi}function qi(){if(gi)return pi;gi=1;var e=Yi(),t=/[^.[\]]+|\[(?:(-?\d+(?:\.\d+)?)|(["'])((?:(?!\2)[^\\]|\\.)*?)\2)\]|(?=(?:\.|\[\])(?:\.|\[\]|$))/g,n=/\\(\\)?/g,r=e((function(e){var r=[];return 46===e.charCodeAt(0)&&r.push(""),e.replace(t,(function(e,t,a,i){r.push(a?i.replace(n,"$1"):t||e)})),r}));return pi=r}function Wi(){if(yi)return vi;return yi=1,vi=function(e,t){for(var n=-1,r=null==e?0:e.length,a=Array(r);++n<r;)a[n]=t(e[n],n,e);return a},vi}function Ui(){if(wi)return xi;wi=1;var e=function(){if(bi)return mi;bi=1;var e=Se(),t=Wi(),n=Ai(),r=De(),a=e?e.prototype:void 0,i=a?a.toString:void 0;return mi=function e(a){if("string"==typeof a)return a;if(n(a))return t(a,e)+"";if(r(a))return i?i.call(a):"";var o=a+"";return"0"==o&&1/a==-1/0?"-0":o},mi}();return xi=function(t){return null==t?"":e(t)}}function Hi(){if(ki)return Ei;ki=1;var e=Ai(),t=function(){if(ta)return ea;ta=1;var e=Ai(),t=De(),n=/\.|\[(?:[^[\]]*|(["'])(?:(?!\1)[^\\]|\\.)*?\1)\]/,r=/^\w*$/;return ea=function(a,i){if(e(a))return!1;var o=typeof a;return!("number"!=o&&"symbol"!=o&&"boolean"!=o&&null!=a&&!t(a))||r.test(a)||!n.test(a)||null!=i&&a in Object(i)},ea}(),n=qi(),r=Ui();return Ei=function(a,i){return e(a)?a:t(a,i)?[a]:n(r(a))},Ei}function Ki(){if(Ci)return Ti;Ci=1;var e=De();return Ti=function(t){if("string"==typeof t||e(t))return t;var n=t+"";return"0"==n&&1/t==-1/0?"-0":n}}var Gi,Zi,$i,Qi,Ji,eo,to,no,ro,ao,io,oo,so=function(){if(Di)return Bi;Di=1;var e=function(){if(Si)return Pi;Si=1;var e=Hi(),t=Ki();return Pi=function(n,r){for(var a=0,i=(r=e(r,n)).length;null!=n&&a<i;)n=n[t(r[a++])];return a&&a==i?n:void 0},Pi}();return Bi=function(t,n,r){var a=null==t?void 0:e(t,n);return void 0===a?r:a},Bi}(),lo=ke(so);function uo(){if(Qi)return $i;Qi=1;var e=function(){if(Zi)return Gi;Zi=1;var e=Ii(),t=function(){try{var t=e(Object,"defineProperty");return t({},"",{}),t}catch(e){}}();return Gi=t}();return $i=function(t,n,r){"__proto__"==n&&e?e(t,n,{configurable:!0,enumerable:!0,value:r,writable:!0}):t[n]=r},$i}function co(){if(ao)return ro;ao=1;var e=function(){if(eo)return Ji;eo=1;var e=uo(),t=zi(),n=Object.prototype.hasOwnProperty;return Ji=function(r,a,i){var o=r[a];n.call(r,a)&&t(o,i)&&(void 0!==i||a in r)||e(r,a,i)},Ji}(),t=Hi(),n=function(){if(no)return to;no=1;var e=/^(?:0|[1-9]\d*)$/;return to=function(t,n){var r=typeof t;return!!(n=null==n?9007199254740991:n)&&("number"==r||"symbol"!=r&&e.test(t))&&t>-1&&t%1==0&&t<n}}(),r=Te(),a=Ki();return ro=function(i,o,s,l){if(!r(i))return i;for(var u=-1,c=(o=t(o,i)).length,d=c-1,h=i;null!=h&&++u<c;){var f=a(o[u]),p=s;if("__proto__"===f||"constructor"===f||"prototype"===f)return i;if(u!=d){var g=h[f];void 0===(p=l?l(g,f,h):void 0)&&(p=r(g)?g:n(o[u+1])?[]:{})}e(h,f,p),h=h[f]}return i},ro}var ho,fo,po,go,vo=function(){if(oo)return io;oo=1;var e=co();return io=function(t,n,r){return null==t?t:e(t,n,r)},io}(),yo=ke(vo);var mo=function(){if(go)return po;go=1;var e=Wi(),t=(fo||(fo=1,ho=function(e,t){var n=-1,r=e.length;for(t||(t=Array(r));++n<r;)t[n]=e[n];return t}),ho),n=Ai(),r=De(),a=qi(),i=Ki(),o=Ui();return po=function(s){return n(s)?e(s,i):r(s)?[s]:t(a(o(s)))}}(),bo=ke(mo),xo={data:function(e){return e=ye({},{field:"data",bindingEvent:"data",allowBinding:!1,allowSetting:!1,allowGetting:!1,settingEvent:"data",settingTriggersEvent:!1,triggerFnName:"trigger",immutableKeys:{},updateStyle:!1,beforeGet:function(e){},beforeSet:function(e,t){},onSet:function(e){},canSet:function(e){return!0}},e),function(t,n){var r=e,i=this,o=void 0!==i.length,s=o?i:[i],l=o?i[0]:i;if(W(t)){var u,c=-1!==t.indexOf(".")&&bo(t);if(r.allowGetting&&void 0===n)return l&&(r.beforeGet(l),u=c&&void 0===l._private[r.field][t]?lo(l._private[r.field],c):l._private[r.field][t]),u;if(r.allowSetting&&void 0!==n&&!r.immutableKeys[t]){var d=a({},t,n);r.beforeSet(i,d);for(var h=0,f=s.length;h<f;h++){var p=s[h];r.canSet(p)&&(c&&void 0===l._private[r.field][t]?yo(p._private[r.field],c,n):p._private[r.field][t]=n)}r.updateStyle&&i.updateStyle(),r.onSet(i),r.settingTriggersEvent&&i[r.triggerFnName](r.settingEvent)}}else if(r.allowSetting&&K(t)){var g,v,y=t,m=Object.keys(y);r.beforeSet(i,y);for(var b=0;b<m.length;b++){if(v=y[g=m[b]],!r.immutableKeys[g])for(var x=0;x<s.length;x++){var w=s[x];r.canSet(w)&&(w._private[r.field][g]=v)}}r.updateStyle&&i.updateStyle(),r.onSet(i),r.settingTriggersEvent&&i[r.triggerFnName](r.settingEvent)}else if(r.allowBinding&&U(t)){var E=t;i.on(r.bindingEvent,E)}else if(r.allowGetting&&void 0===t){var k;return l&&(r.beforeGet(l),k=l._private[r.field]),k}return i}},removeData:function(e){return e=ye({},{field:"data",event:"data",triggerFnName:"trigger",triggerEvent:!1,immutableKeys:{}},e),function(t){var n=e,r=this,a=void 0!==r.length?r:[r];if(W(t)){for(var i=t.split(/\s+/),o=i.length,s=0;s<o;s++){var l=i[s];if(!re(l))if(!n.immutableKeys[l])for(var u=0,c=a.length;u<c;u++)a[u]._private[n.field][l]=void 0}n.triggerEvent&&r[n.triggerFnName](n.event)}else if(void 0===t){for(var d=0,h=a.length;d<h;d++)for(var f=a[d]._private[n.field],p=Object.keys(f),g=0;g<p.length;g++){var v=p[g];!n.immutableKeys[v]&&(f[v]=void 0)}n.triggerEvent&&r[n.triggerFnName](n.event)}return r}}},wo={eventAliasesOn:function(e){var t=e;t.addListener=t.listen=t.bind=t.on,t.unlisten=t.unbind=t.off=t.removeListener,t.trigger=t.emit,t.pon=t.promiseOn=function(e,t){var n=this,r=Array.prototype.slice.call(arguments,0);return new Gr((function(e,t){var a=r.concat([function(t){n.off.apply(n,i),e(t)}]),i=a.concat([]);n.on.apply(n,a)}))}}},Eo={};[_i,xo,wo].forEach((function(e){ye(Eo,e)}));var ko={animate:Eo.animate(),animation:Eo.animation(),animated:Eo.animated(),clearQueue:Eo.clearQueue(),delay:Eo.delay(),delayAnimation:Eo.delayAnimation(),stop:Eo.stop()},To={classes:function(e){var t=this;if(void 0===e){var n=[];return t[0]._private.classes.forEach((function(e){return n.push(e)})),n}H(e)||(e=(e||"").match(/\S+/g)||[]);for(var r=[],a=new yt(e),i=0;i<t.length;i++){for(var o=t[i],s=o._private,l=s.classes,u=!1,c=0;c<e.length;c++){var d=e[c];if(!l.has(d)){u=!0;break}}u||(u=l.size!==e.length),u&&(s.classes=a,r.push(o))}return r.length>0&&this.spawn(r).updateStyle().emit("class"),t},addClass:function(e){return this.toggleClass(e,!0)},hasClass:function(e){var t=this[0];return null!=t&&t._private.classes.has(e)},toggleClass:function(e,t){H(e)||(e=e.match(/\S+/g)||[]);for(var n=this,r=void 0===t,a=[],i=0,o=n.length;i<o;i++)for(var s=n[i],l=s._private.classes,u=!1,c=0;c<e.length;c++){var d=e[c],h=l.has(d),f=!1;t||r&&!h?(l.add(d),f=!0):(!t||r&&h)&&(l.delete(d),f=!0),!u&&f&&(a.push(s),u=!0)}return a.length>0&&this.spawn(a).updateStyle().emit("class"),n},removeClass:function(e){return this.toggleClass(e,!1)},flashClass:function(e,t){var n=this;if(null==t)t=250;else if(0===t)return n;return n.addClass(e),setTimeout((function(){n.removeClass(e)}),t),n}};To.className=To.classNames=To.classes;var Co={metaChar:"[\\!\\\"\\#\\$\\%\\&\\'\\(\\)\\*\\+\\,\\.\\/\\:\\;\\<\\=\\>\\?\\@\\[\\]\\^\\`\\{\\|\\}\\~]",comparatorOp:"=|\\!=|>|>=|<|<=|\\$=|\\^=|\\*=",boolOp:"\\?|\\!|\\^",string:"\"(?:\\\\\"|[^\"])*\"|'(?:\\\\'|[^'])*'",number:de,meta:"degree|indegree|outdegree",separator:"\\s*,\\s*",descendant:"\\s+",child:"\\s+>\\s+",subject:"\\$",group:"node|edge|\\*",directedEdge:"\\s+->\\s+",undirectedEdge:"\\s+<->\\s+"};Co.variable="(?:[\\w-.]|(?:\\\\"+Co.metaChar+"))+",Co.className="(?:[\\w-]|(?:\\\\"+Co.metaChar+"))+",Co.value=Co.string+"|"+Co.number,Co.id=Co.variable,function(){var e,t,n;for(e=Co.comparatorOp.split("|"),n=0;n<e.length;n++)t=e[n],Co.comparatorOp+="|@"+t;for(e=Co.comparatorOp.split("|"),n=0;n<e.length;n++)(t=e[n]).indexOf("!")>=0||"="!==t&&(Co.comparatorOp+="|\\!"+t)}();var Po=0,So=1,Bo=2,Do=3,_o=4,Ao=5,Mo=6,Ro=7,Io=8,No=9,Lo=10,zo=11,Oo=12,Vo=13,Fo=14,Xo=15,jo=16,Yo=17,qo=18,Wo=19,Uo=20,Ho=[{selector:":selected",matches:function(e){return e.selected()}},{selector:":unselected",matches:function(e){return!e.selected()}},{selector:":selectable",matches:function(e){return e.selectable()}},{selector:":unselectable",matches:function(e){return!e.selectable()}},{selector:":locked",matches:function(e){return e.locked()}},{selector:":unlocked",matches:function(e){return!e.locked()}},{selector:":visible",matches:function(e){return e.visible()}},{selector:":hidden",matches:function(e){return!e.visible()}},{selector:":transparent",matches:function(e){return e.transparent()}},{selector:":grabbed",matches:function(e){return e.grabbed()}},{selector:":free",matches:function(e){return!e.grabbed()}},{selector:":removed",matches:function(e){return e.removed()}},{selector:":inside",matches:function(e){return!e.removed()}},{selector:":grabbable",matches:function(e){return e.grabbable()}},{selector:":ungrabbable",matches:function(e){return!e.grabbable()}},{selector:":animated",matches:function(e){return e.animated()}},{selector:":unanimated",matches:function(e){return!e.animated()}},{selector:":parent",matches:function(e){return e.isParent()}},{selector:":childless",matches:function(e){return e.isChildless()}},{selector:":child",matches:function(e){return e.isChild()}},{selector:":orphan",matches:function(e){return e.isOrphan()}},{selector:":nonorphan",matches:function(e){return e.isChild()}},{selector:":compound",matches:function(e){return e.isNode()?e.isParent():e.source().isParent()||e.target().isParent()}},{selector:":loop",matches:function(e){return e.isLoop()}},{selector:":simple",matches:function(e){return e.isSimple()}},{selector:":active",matches:function(e){return e.active()}},{selector:":inactive",matches:function(e){return!e.active()}},{selector:":backgrounding",matches:function(e){return e.backgrounding()}},{selector:":nonbackgrounding",matches:function(e){return!e.backgrounding()}}].sort((function(e,t){return function(e,t){return-1*ve(e,t)}(e.selector,t.selector)})),Ko=function(){for(var e,t={},n=0;n<Ho.length;n++)t[(e=Ho[n]).selector]=e.matches;return t}(),Go="("+Ho.map((function(e){return e.selector})).join("|")+")",Zo=function(e){return e.replace(new RegExp("\\\\("+Co.metaChar+")","g"),(function(e,t){return t}))},$o=function(e,t,n){e[e.length-1]=n},Qo=[{name:"group",query:!0,regex:"("+Co.group+")",populate:function(e,t,n){var r=i(n,1)[0];t.checks.push({type:Po,value:"*"===r?r:r+"s"})}},{name:"state",query:!0,regex:Go,populate:function(e,t,n){var r=i(n,1)[0];t.checks.push({type:Ro,value:r})}},{name:"id",query:!0,regex:"\\#("+Co.id+")",populate:function(e,t,n){var r=i(n,1)[0];t.checks.push({type:Io,value:Zo(r)})}},{name:"className",query:!0,regex:"\\.("+Co.className+")",populate:function(e,t,n){var r=i(n,1)[0];t.checks.push({type:No,value:Zo(r)})}},{name:"dataExists",query:!0,regex:"\\[\\s*("+Co.variable+")\\s*\\]",populate:function(e,t,n){var r=i(n,1)[0];t.checks.push({type:_o,field:Zo(r)})}},{name:"dataCompare",query:!0,regex:"\\[\\s*("+Co.variable+")\\s*("+Co.comparatorOp+")\\s*("+Co.value+")\\s*\\]",populate:function(e,t,n){var r=i(n,3),a=r[0],o=r[1],s=r[2];s=null!=new RegExp("^"+Co.string+"$").exec(s)?s.substring(1,s.length-1):parseFloat(s),t.checks.push({type:Do,field:Zo(a),operator:o,value:s})}},{name:"dataBool",query:!0,regex:"\\[\\s*("+Co.boolOp+")\\s*("+Co.variable+")\\s*\\]",populate:function(e,t,n){var r=i(n,2),a=r[0],o=r[1];t.checks.push({type:Ao,field:Zo(o),operator:a})}},{name:"metaCompare",query:!0,regex:"\\[\\[\\s*("+Co.meta+")\\s*("+Co.comparatorOp+")\\s*("+Co.number+")\\s*\\]\\]",populate:function(e,t,n){var r=i(n,3),a=r[0],o=r[1],s=r[2];t.checks.push({type:Mo,field:Zo(a),operator:o,value:parseFloat(s)})}},{name:"nextQuery",separator:!0,regex:Co.separator,populate:function(e,t){var n=e.currentSubject,r=e.edgeCount,a=e.compoundCount,i=e[e.length-1];return null!=n&&(i.subject=n,e.currentSubject=null),i.edgeCount=r,i.compoundCount=a,e.edgeCount=0,e.compoundCount=0,e[e.length++]={checks:[]}}},{name:"directedEdge",separator:!0,regex:Co.directedEdge,populate:function(e,t){if(null==e.currentSubject){var n={checks:[]},r=t,a={checks:[]};return n.checks.push({type:zo,source:r,target:a}),$o(e,0,n),e.edgeCount++,a}var i={checks:[]},o=t,s={checks:[]};return i.checks.push({type:Oo,source:o,target:s}),$o(e,0,i),e.edgeCount++,s}},{name:"undirectedEdge",separator:!0,regex:Co.undirectedEdge,populate:function(e,t){if(null==e.currentSubject){var n={checks:[]},r=t,a={checks:[]};return n.checks.push({type:Lo,nodes:[r,a]}),$o(e,0,n),e.edgeCount++,a}var i={checks:[]},o=t,s={checks:[]};return i.checks.push({type:Fo,node:o,neighbor:s}),$o(e,0,i),s}},{name:"child",separator:!0,regex:Co.child,populate:function(e,t){if(null==e.currentSubject){var n={checks:[]},r={checks:[]},a=e[e.length-1];return n.checks.push({type:Xo,parent:a,child:r}),$o(e,0,n),e.compoundCount++,r}if(e.currentSubject===t){var i={checks:[]},o=e[e.length-1],s={checks:[]},l={checks:[]},u={checks:[]},c={checks:[]};return i.checks.push({type:Wo,left:o,right:s,subject:l}),l.checks=t.checks,t.checks=[{type:Uo}],c.checks.push({type:Uo}),s.checks.push({type:Yo,parent:c,child:u}),$o(e,0,i),e.currentSubject=l,e.compoundCount++,u}var d={checks:[]},h={checks:[]},f=[{type:Yo,parent:d,child:h}];return d.checks=t.checks,t.checks=f,e.compoundCount++,h}},{name:"descendant",separator:!0,regex:Co.descendant,populate:function(e,t){if(null==e.currentSubject){var n={checks:[]},r={checks:[]},a=e[e.length-1];return n.checks.push({type:jo,ancestor:a,descendant:r}),$o(e,0,n),e.compoundCount++,r}if(e.currentSubject===t){var i={checks:[]},o=e[e.length-1],s={checks:[]},l={checks:[]},u={checks:[]},c={checks:[]};return i.checks.push({type:Wo,left:o,right:s,subject:l}),l.checks=t.checks,t.checks=[{type:Uo}],c.checks.push({type:Uo}),s.checks.push({type:qo,ancestor:c,descendant:u}),$o(e,0,i),e.currentSubject=l,e.compoundCount++,u}var d={checks:[]},h={checks:[]},f=[{type:qo,ancestor:d,descendant:h}];return d.checks=t.checks,t.checks=f,e.compoundCount++,h}},{name:"subject",modifier:!0,regex:Co.subject,populate:function(e,t){if(null!=e.currentSubject&&e.currentSubject!==t)return it("Redefinition of subject in selector `"+e.toString()+"`"),!1;e.currentSubject=t;var n=e[e.length-1].checks[0],r=null==n?null:n.type;r===zo?n.type=Vo:r===Lo&&(n.type=Fo,n.node=n.nodes[1],n.neighbor=n.nodes[0],n.nodes=null)}}];Qo.forEach((function(e){return e.regexObj=new RegExp("^"+e.regex)}));var Jo=function(e){for(var t,n,r,a=0;a<Qo.length;a++){var i=Qo[a],o=i.name,s=e.match(i.regexObj);if(null!=s){n=s,t=i,r=o;var l=s[0];e=e.substring(l.length);break}}return{expr:t,match:n,name:r,remaining:e}},es={parse:function(e){var t=this,n=t.inputText=e,r=t[0]={checks:[]};for(t.length=1,n=function(e){var t=e.match(/^\s+/);if(t){var n=t[0];e=e.substring(n.length)}return e}(n);;){var a=Jo(n);if(null==a.expr)return it("The selector `"+e+"`is invalid"),!1;var i=a.match.slice(1),o=a.expr.populate(t,r,i);if(!1===o)return!1;if(null!=o&&(r=o),(n=a.remaining).match(/^\s*$/))break}var s=t[t.length-1];null!=t.currentSubject&&(s.subject=t.currentSubject),s.edgeCount=t.edgeCount,s.compoundCount=t.compoundCount;for(var l=0;l<t.length;l++){var u=t[l];if(u.compoundCount>0&&u.edgeCount>0)return it("The selector `"+e+"` is invalid because it uses both a compound selector and an edge selector"),!1;if(u.edgeCount>1)return it("The selector `"+e+"` is invalid because it uses multiple edge selectors"),!1;1===u.edgeCount&&it("The selector `"+e+"` is deprecated.  Edge selectors do not take effect on changes to source and target nodes after an edge is added, for performance reasons.  Use a class or data selector on edges instead, updating the class or data of an edge when your app detects a change in source or target nodes.")}return!0},toString:function(){if(null!=this.toStringCache)return this.toStringCache;for(var e=function(e){return null==e?"":e},t=function(t){return W(t)?'"'+t+'"':e(t)},n=function(e){return" "+e+" "},r=function(r,i){var o=r.type,s=r.value;switch(o){case Po:var l=e(s);return l.substring(0,l.length-1);case Do:var u=r.field,c=r.operator;return"["+u+n(e(c))+t(s)+"]";case Ao:var d=r.operator,h=r.field;return"["+e(d)+h+"]";case _o:return"["+r.field+"]";case Mo:var f=r.operator;return"[["+r.field+n(e(f))+t(s)+"]]";case Ro:return s;case Io:return"#"+s;case No:return"."+s;case Yo:case Xo:return a(r.parent,i)+n(">")+a(r.child,i);case qo:case jo:return a(r.ancestor,i)+" "+a(r.descendant,i);case Wo:var p=a(r.left,i),g=a(r.subject,i),v=a(r.right,i);return p+(p.length>0?" ":"")+g+v;case Uo:return""}},a=function(e,t){return e.checks.reduce((function(n,a,i){return n+(t===e&&0===i?"$":"")+r(a,t)}),"")},i="",o=0;o<this.length;o++){var s=this[o];i+=a(s,s.subject),this.length>1&&o<this.length-1&&(i+=", ")}return this.toStringCache=i,i}},ts=function(e,t,n){var r,a,i,o=W(e),s=G(e),l=W(n),u=!1,c=!1,d=!1;switch(t.indexOf("!")>=0&&(t=t.replace("!",""),c=!0),t.indexOf("@")>=0&&(t=t.replace("@",""),u=!0),(o||l||u)&&(a=o||s?""+e:"",i=""+n),u&&(e=a=a.toLowerCase(),n=i=i.toLowerCase()),t){case"*=":r=a.indexOf(i)>=0;break;case"$=":r=a.indexOf(i,a.length-i.length)>=0;break;case"^=":r=0===a.indexOf(i);break;case"=":r=e===n;break;case">":d=!0,r=e>n;break;case">=":d=!0,r=e>=n;break;case"<":d=!0,r=e<n;break;case"<=":d=!0,r=e<=n;break;default:r=!1}return!c||null==e&&d||(r=!r),r},ns=function(e,t){return e.data(t)},rs=[],as=function(e,t){return e.checks.every((function(e){return rs[e.type](e,t)}))};rs[Po]=function(e,t){var n=e.value;return"*"===n||n===t.group()},rs[Ro]=function(e,t){return function(e,t){return Ko[e](t)}(e.value,t)},rs[Io]=function(e,t){var n=e.value;return t.id()===n},rs[No]=function(e,t){var n=e.value;return t.hasClass(n)},rs[Mo]=function(e,t){var n=e.field,r=e.operator,a=e.value;return ts(function(e,t){return e[t]()}(t,n),r,a)},rs[Do]=function(e,t){var n=e.field,r=e.operator,a=e.value;return ts(ns(t,n),r,a)},rs[Ao]=function(e,t){var n=e.field,r=e.operator;return function(e,t){switch(t){case"?":return!!e;case"!":return!e;case"^":return void 0===e}}(ns(t,n),r)},rs[_o]=function(e,t){var n=e.field;return e.operator,void 0!==ns(t,n)},rs[Lo]=function(e,t){var n=e.nodes[0],r=e.nodes[1],a=t.source(),i=t.target();return as(n,a)&&as(r,i)||as(r,a)&&as(n,i)},rs[Fo]=function(e,t){return as(e.node,t)&&t.neighborhood().some((function(t){return t.isNode()&&as(e.neighbor,t)}))},rs[zo]=function(e,t){return as(e.source,t.source())&&as(e.target,t.target())},rs[Oo]=function(e,t){return as(e.source,t)&&t.outgoers().some((function(t){return t.isNode()&&as(e.target,t)}))},rs[Vo]=function(e,t){return as(e.target,t)&&t.incomers().some((function(t){return t.isNode()&&as(e.source,t)}))},rs[Xo]=function(e,t){return as(e.child,t)&&as(e.parent,t.parent())},rs[Yo]=function(e,t){return as(e.parent,t)&&t.children().some((function(t){return as(e.child,t)}))},rs[jo]=function(e,t){return as(e.descendant,t)&&t.ancestors().some((function(t){return as(e.ancestor,t)}))},rs[qo]=function(e,t){return as(e.ancestor,t)&&t.descendants().some((function(t){return as(e.descendant,t)}))},rs[Wo]=function(e,t){return as(e.subject,t)&&as(e.left,t)&&as(e.right,t)},rs[Uo]=function(){return!0},rs[So]=function(e,t){return e.value.has(t)},rs[Bo]=function(e,t){return(0,e.value)(t)};var is={matches:function(e){for(var t=0;t<this.length;t++){var n=this[t];if(as(n,e))return!0}return!1},filter:function(e){var t=this;if(1===t.length&&1===t[0].checks.length&&t[0].checks[0].type===Io)return e.getElementById(t[0].checks[0].value).collection();var n=function(e){for(var n=0;n<t.length;n++){var r=t[n];if(as(r,e))return!0}return!1};return null==t.text()&&(n=function(){return!0}),e.filter(n)}},os=function(e){this.inputText=e,this.currentSubject=null,this.compoundCount=0,this.edgeCount=0,this.length=0,null==e||W(e)&&e.match(/^\s*$/)||(Q(e)?this.addQuery({checks:[{type:So,value:e.collection()}]}):U(e)?this.addQuery({checks:[{type:Bo,value:e}]}):W(e)?this.parse(e)||(this.invalid=!0):rt("A selector must be created from a string; found "))},ss=os.prototype;[es,is].forEach((function(e){return ye(ss,e)})),ss.text=function(){return this.inputText},ss.size=function(){return this.length},ss.eq=function(e){return this[e]},ss.sameText=function(e){return!this.invalid&&!e.invalid&&this.text()===e.text()},ss.addQuery=function(e){this[this.length++]=e},ss.selector=ss.toString;var ls={allAre:function(e){var t=new os(e);return this.every((function(e){return t.matches(e)}))},is:function(e){var t=new os(e);return this.some((function(e){return t.matches(e)}))},some:function(e,t){for(var n=0;n<this.length;n++){if(t?e.apply(t,[this[n],n,this]):e(this[n],n,this))return!0}return!1},every:function(e,t){for(var n=0;n<this.length;n++){if(!(t?e.apply(t,[this[n],n,this]):e(this[n],n,this)))return!1}return!0},same:function(e){if(this===e)return!0;e=this.cy().collection(e);var t=this.length;return t===e.length&&(1===t?this[0]===e[0]:this.every((function(t){return e.hasElementWithId(t.id())})))},anySame:function(e){return e=this.cy().collection(e),this.some((function(t){return e.hasElementWithId(t.id())}))},allAreNeighbors:function(e){e=this.cy().collection(e);var t=this.neighborhood();return e.every((function(e){return t.hasElementWithId(e.id())}))},contains:function(e){e=this.cy().collection(e);var t=this;return e.every((function(e){return t.hasElementWithId(e.id())}))}};ls.allAreNeighbours=ls.allAreNeighbors,ls.has=ls.contains,ls.equal=ls.equals=ls.same;var us,cs,ds=function(e,t){return function(n,r,a,i){var o,s=n,l=this;if(null==s?o="":Q(s)&&1===s.length&&(o=s.id()),1===l.length&&o){var u=l[0]._private,c=u.traversalCache=u.traversalCache||{},d=c[t]=c[t]||[],h=We(o),f=d[h];return f||(d[h]=e.call(l,n,r,a,i))}return e.call(l,n,r,a,i)}},hs={parent:function(e){var t=[];if(1===this.length){var n=this[0]._private.parent;if(n)return n}for(var r=0;r<this.length;r++){var a=this[r]._private.parent;a&&t.push(a)}return this.spawn(t,!0).filter(e)},parents:function(e){for(var t=[],n=this.parent();n.nonempty();){for(var r=0;r<n.length;r++){var a=n[r];t.push(a)}n=n.parent()}return this.spawn(t,!0).filter(e)},commonAncestors:function(e){for(var t,n=0;n<this.length;n++){var r=this[n].parents();t=(t=t||r).intersect(r)}return t.filter(e)},orphans:function(e){return this.stdFilter((function(e){return e.isOrphan()})).filter(e)},nonorphans:function(e){return this.stdFilter((function(e){return e.isChild()})).filter(e)},children:ds((function(e){for(var t=[],n=0;n<this.length;n++)for(var r=this[n]._private.children,a=0;a<r.length;a++)t.push(r[a]);return this.spawn(t,!0).filter(e)}),"children"),siblings:function(e){return this.parent().children().not(this).filter(e)},isParent:function(){var e=this[0];if(e)return e.isNode()&&0!==e._private.children.length},isChildless:function(){var e=this[0];if(e)return e.isNode()&&0===e._private.children.length},isChild:function(){var e=this[0];if(e)return e.isNode()&&null!=e._private.parent},isOrphan:function(){var e=this[0];if(e)return e.isNode()&&null==e._private.parent},descendants:function(e){var t=[];return function e(n){for(var r=0;r<n.length;r++){var a=n[r];t.push(a),a.children().nonempty()&&e(a.children())}}(this.children()),this.spawn(t,!0).filter(e)}};function fs(e,t,n,r){for(var a=[],i=new yt,o=e.cy().hasCompoundNodes(),s=0;s<e.length;s++){var l=e[s];n?a.push(l):o&&r(a,i,l)}for(;a.length>0;){var u=a.shift();t(u),i.add(u.id()),o&&r(a,i,u)}return e}function ps(e,t,n){if(n.isParent())for(var r=n._private.children,a=0;a<r.length;a++){var i=r[a];t.has(i.id())||e.push(i)}}function gs(e,t,n){if(n.isChild()){var r=n._private.parent;t.has(r.id())||e.push(r)}}function vs(e,t,n){gs(e,t,n),ps(e,t,n)}hs.forEachDown=function(e){return fs(this,e,!(arguments.length>1&&void 0!==arguments[1])||arguments[1],ps)},hs.forEachUp=function(e){return fs(this,e,!(arguments.length>1&&void 0!==arguments[1])||arguments[1],gs)},hs.forEachUpAndDown=function(e){return fs(this,e,!(arguments.length>1&&void 0!==arguments[1])||arguments[1],vs)},hs.ancestors=hs.parents,(us=cs={data:Eo.data({field:"data",bindingEvent:"data",allowBinding:!0,allowSetting:!0,settingEvent:"data",settingTriggersEvent:!0,triggerFnName:"trigger",allowGetting:!0,immutableKeys:{id:!0,source:!0,target:!0,parent:!0},updateStyle:!0}),removeData:Eo.removeData({field:"data",event:"data",triggerFnName:"trigger",triggerEvent:!0,immutableKeys:{id:!0,source:!0,target:!0,parent:!0},updateStyle:!0}),scratch:Eo.data({field:"scratch",bindingEvent:"scratch",allowBinding:!0,allowSetting:!0,settingEvent:"scratch",settingTriggersEvent:!0,triggerFnName:"trigger",allowGetting:!0,updateStyle:!0}),removeScratch:Eo.removeData({field:"scratch",event:"scratch",triggerFnName:"trigger",triggerEvent:!0,updateStyle:!0}),rscratch:Eo.data({field:"rscratch",allowBinding:!1,allowSetting:!0,settingTriggersEvent:!1,allowGetting:!0}),removeRscratch:Eo.removeData({field:"rscratch",triggerEvent:!1}),id:function(){var e=this[0];if(e)return e._private.data.id}}).attr=us.data,us.removeAttr=us.removeData;var ys,ms,bs=cs,xs={};function ws(e){return function(t){var n=this;if(void 0===t&&(t=!0),0!==n.length&&n.isNode()&&!n.removed()){for(var r=0,a=n[0],i=a._private.edges,o=0;o<i.length;o++){var s=i[o];!t&&s.isLoop()||(r+=e(a,s))}return r}}}function Es(e,t){return function(n){for(var r,a=this.nodes(),i=0;i<a.length;i++){var o=a[i][e](n);void 0===o||void 0!==r&&!t(o,r)||(r=o)}return r}}ye(xs,{degree:ws((function(e,t){return t.source().same(t.target())?2:1})),indegree:ws((function(e,t){return t.target().same(e)?1:0})),outdegree:ws((function(e,t){return t.source().same(e)?1:0}))}),ye(xs,{minDegree:Es("degree",(function(e,t){return e<t})),maxDegree:Es("degree",(function(e,t){return e>t})),minIndegree:Es("indegree",(function(e,t){return e<t})),maxIndegree:Es("indegree",(function(e,t){return e>t})),minOutdegree:Es("outdegree",(function(e,t){return e<t})),maxOutdegree:Es("outdegree",(function(e,t){return e>t}))}),ye(xs,{totalDegree:function(e){for(var t=0,n=this.nodes(),r=0;r<n.length;r++)t+=n[r].degree(e);return t}});var ks=function(e,t,n){for(var r=0;r<e.length;r++){var a=e[r];if(!a.locked()){var i=a._private.position,o={x:null!=t.x?t.x-i.x:0,y:null!=t.y?t.y-i.y:0};!a.isParent()||0===o.x&&0===o.y||a.children().shift(o,n),a.dirtyBoundingBoxCache()}}},Ts={field:"position",bindingEvent:"position",allowBinding:!0,allowSetting:!0,settingEvent:"position",settingTriggersEvent:!0,triggerFnName:"emitAndNotify",allowGetting:!0,validKeys:["x","y"],beforeGet:function(e){e.updateCompoundBounds()},beforeSet:function(e,t){ks(e,t,!1)},onSet:function(e){e.dirtyCompoundBoundsCache()},canSet:function(e){return!e.locked()}};ys=ms={position:Eo.data(Ts),silentPosition:Eo.data(ye({},Ts,{allowBinding:!1,allowSetting:!0,settingTriggersEvent:!1,allowGetting:!1,beforeSet:function(e,t){ks(e,t,!0)},onSet:function(e){e.dirtyCompoundBoundsCache()}})),positions:function(e,t){if(K(e))t?this.silentPosition(e):this.position(e);else if(U(e)){var n=e,r=this.cy();r.startBatch();for(var a=0;a<this.length;a++){var i,o=this[a];(i=n(o,a))&&(t?o.silentPosition(i):o.position(i))}r.endBatch()}return this},silentPositions:function(e){return this.positions(e,!0)},shift:function(e,t,n){var r;if(K(e)?(r={x:G(e.x)?e.x:0,y:G(e.y)?e.y:0},n=t):W(e)&&G(t)&&((r={x:0,y:0})[e]=t),null!=r){var a=this.cy();a.startBatch();for(var i=0;i<this.length;i++){var o=this[i];if(!(a.hasCompoundNodes()&&o.isChild()&&o.ancestors().anySame(this))){var s=o.position(),l={x:s.x+r.x,y:s.y+r.y};n?o.silentPosition(l):o.position(l)}}a.endBatch()}return this},silentShift:function(e,t){return K(e)?this.shift(e,!0):W(e)&&G(t)&&this.shift(e,t,!0),this},renderedPosition:function(e,t){var n=this[0],r=this.cy(),a=r.zoom(),i=r.pan(),o=K(e)?e:void 0,s=void 0!==o||void 0!==t&&W(e);if(n&&n.isNode()){if(!s){var l=n.position();return o=jt(l,a,i),void 0===e?o:o[e]}for(var u=0;u<this.length;u++){var c=this[u];void 0!==t?c.position(e,(t-i[e])/a):void 0!==o&&c.position(Yt(o,a,i))}}else if(!s)return;return this},relativePosition:function(e,t){var n=this[0],r=this.cy(),a=K(e)?e:void 0,i=void 0!==a||void 0!==t&&W(e),o=r.hasCompoundNodes();if(n&&n.isNode()){if(!i){var s=n.position(),l=o?n.parent():null,u=l&&l.length>0,c=u;u&&(l=l[0]);var d=c?l.position():{x:0,y:0};return a={x:s.x-d.x,y:s.y-d.y},void 0===e?a:a[e]}for(var h=0;h<this.length;h++){var f=this[h],p=o?f.parent():null,g=p&&p.length>0,v=g;g&&(p=p[0]);var y=v?p.position():{x:0,y:0};void 0!==t?f.position(e,t+y[e]):void 0!==a&&f.position({x:a.x+y.x,y:a.y+y.y})}}else if(!i)return;return this}},ys.modelPosition=ys.point=ys.position,ys.modelPositions=ys.points=ys.positions,ys.renderedPoint=ys.renderedPosition,ys.relativePoint=ys.relativePosition;var Cs,Ps,Ss=ms,Bs=function(e){switch(e){case"left":case"right-inside":return"left";case"right":case"left-inside":return"right";default:return"center"}},Ds=function(e){switch(e){case"top":case"bottom-inside":return"top";case"bottom":case"top-inside":return"bottom";default:return"center"}};Cs=Ps={},Ps.renderedBoundingBox=function(e){var t=this.boundingBox(e),n=this.cy(),r=n.zoom(),a=n.pan(),i=t.x1*r+a.x,o=t.x2*r+a.x,s=t.y1*r+a.y,l=t.y2*r+a.y;return{x1:i,x2:o,y1:s,y2:l,w:o-i,h:l-s}},Ps.dirtyCompoundBoundsCache=function(){var e=arguments.length>0&&void 0!==arguments[0]&&arguments[0],t=this.cy();return t.styleEnabled()&&t.hasCompoundNodes()?(this.forEachUp((function(t){if(t.isParent()){var n=t._private;n.compoundBoundsClean=!1,n.bbCache=null,e||t.emitAndNotify("bounds")}})),this):this},Ps.updateCompoundBounds=function(){var e=arguments.length>0&&void 0!==arguments[0]&&arguments[0],t=this.cy();if(!t.styleEnabled()||!t.hasCompoundNodes())return this;if(!e&&t.batching())return this;function n(e){if(e.isParent()){var t=e._private,n=e.children(),r="include"===e.pstyle("compound-sizing-wrt-labels").value,a={width:{val:e.pstyle("min-width").pfValue,left:e.pstyle("min-width-bias-left"),right:e.pstyle("min-width-bias-right")},height:{val:e.pstyle("min-height").pfValue,top:e.pstyle("min-height-bias-top"),bottom:e.pstyle("min-height-bias-bottom")}},i=n.boundingBox({includeLabels:r,includeOverlays:!1,useCache:!1}),o=t.position;0!==i.w&&0!==i.h||((i={w:e.pstyle("width").pfValue,h:e.pstyle("height").pfValue}).x1=o.x-i.w/2,i.x2=o.x+i.w/2,i.y1=o.y-i.h/2,i.y2=o.y+i.h/2);var s=a.width.left.value;"px"===a.width.left.units&&a.width.val>0&&(s=100*s/a.width.val);var l=a.width.right.value;"px"===a.width.right.units&&a.width.val>0&&(l=100*l/a.width.val);var u=a.height.top.value;"px"===a.height.top.units&&a.height.val>0&&(u=100*u/a.height.val);var c=a.height.bottom.value;"px"===a.height.bottom.units&&a.height.val>0&&(c=100*c/a.height.val);var d=y(a.width.val-i.w,s,l),h=d.biasDiff,f=d.biasComplementDiff,p=y(a.height.val-i.h,u,c),g=p.biasDiff,v=p.biasComplementDiff;t.autoPadding=function(e,t,n,r){if("%"!==n.units)return"px"===n.units?n.pfValue:0;switch(r){case"width":return e>0?n.pfValue*e:0;case"height":return t>0?n.pfValue*t:0;case"average":return e>0&&t>0?n.pfValue*(e+t)/2:0;case"min":return e>0&&t>0?e>t?n.pfValue*t:n.pfValue*e:0;case"max":return e>0&&t>0?e>t?n.pfValue*e:n.pfValue*t:0;default:return 0}}(i.w,i.h,e.pstyle("padding"),e.pstyle("padding-relative-to").value),t.autoWidth=Math.max(i.w,a.width.val),o.x=(-h+i.x1+i.x2+f)/2,t.autoHeight=Math.max(i.h,a.height.val),o.y=(-g+i.y1+i.y2+v)/2}function y(e,t,n){var r=0,a=0,i=t+n;return e>0&&i>0&&(r=t/i*e,a=n/i*e),{biasDiff:r,biasComplementDiff:a}}}for(var r=0;r<this.length;r++){var a=this[r],i=a._private;i.compoundBoundsClean&&!e||(n(a),t.batching()||(i.compoundBoundsClean=!0))}return this};var _s=function(e){return e===1/0||e===-1/0?0:e},As=function(e,t,n,r,a){r-t!=0&&a-n!=0&&null!=t&&null!=n&&null!=r&&null!=a&&(e.x1=t<e.x1?t:e.x1,e.x2=r>e.x2?r:e.x2,e.y1=n<e.y1?n:e.y1,e.y2=a>e.y2?a:e.y2,e.w=e.x2-e.x1,e.h=e.y2-e.y1)},Ms=function(e,t){return null==t?e:As(e,t.x1,t.y1,t.x2,t.y2)},Rs=function(e,t,n){return ft(e,t,n)},Is=function(e,t,n){if(!t.cy().headless()){var r,a,i=t._private,o=i.rstyle,s=o.arrowWidth/2;if("none"!==t.pstyle(n+"-arrow-shape").value){"source"===n?(r=o.srcX,a=o.srcY):"target"===n?(r=o.tgtX,a=o.tgtY):(r=o.midX,a=o.midY);var l=i.arrowBounds=i.arrowBounds||{},u=l[n]=l[n]||{};u.x1=r-s,u.y1=a-s,u.x2=r+s,u.y2=a+s,u.w=u.x2-u.x1,u.h=u.y2-u.y1,rn(u,1),As(e,u.x1,u.y1,u.x2,u.y2)}}},Ns=function(e,t,n){if(!t.cy().headless()){var r;r=n?n+"-":"";var a=t._private,i=a.rstyle;if(t.pstyle(r+"label").strValue){var o,s,l,u,c=t.pstyle("text-halign"),d=t.pstyle("text-valign"),h=Rs(i,"labelWidth",n),f=Rs(i,"labelHeight",n),p=Rs(i,"labelX",n),g=Rs(i,"labelY",n),v=t.pstyle(r+"text-margin-x").pfValue,y=t.pstyle(r+"text-margin-y").pfValue,m=t.isEdge(),b=t.pstyle(r+"text-rotation"),x=t.pstyle("text-outline-width").pfValue,w=t.pstyle("text-border-width").pfValue/2,E=t.pstyle("text-background-padding").pfValue,k=f,T=h,C=T/2,P=k/2;if(m)o=p-C,s=p+C,l=g-P,u=g+P;else{switch(Bs(c.value)){case"left":o=p-T,s=p;break;case"center":o=p-C,s=p+C;break;case"right":o=p,s=p+T}switch(Ds(d.value)){case"top":l=g-k,u=g;break;case"center":l=g-P,u=g+P;break;case"bottom":l=g,u=g+k}}var S=v-Math.max(x,w)-E-2,B=v+Math.max(x,w)+E+2,D=y-Math.max(x,w)-E-2,_=y+Math.max(x,w)+E+2;o+=S,s+=B,l+=D,u+=_;var A=n||"main",M=a.labelBounds,R=M[A]=M[A]||{};R.x1=o,R.y1=l,R.x2=s,R.y2=u,R.w=s-o,R.h=u-l,R.leftPad=S,R.rightPad=B,R.topPad=D,R.botPad=_;var I=m&&"autorotate"===b.strValue,N=null!=b.pfValue&&0!==b.pfValue;if(I||N){var L=I?Rs(a.rstyle,"labelAngle",n):b.pfValue,z=Math.cos(L),O=Math.sin(L),V=(o+s)/2,F=(l+u)/2;if(!m){switch(Bs(c.value)){case"left":V=s;break;case"right":V=o}switch(Ds(d.value)){case"top":F=u;break;case"bottom":F=l}}var X=function(e,t){return{x:(e-=V)*z-(t-=F)*O+V,y:e*O+t*z+F}},j=X(o,l),Y=X(o,u),q=X(s,l),W=X(s,u);o=Math.min(j.x,Y.x,q.x,W.x),s=Math.max(j.x,Y.x,q.x,W.x),l=Math.min(j.y,Y.y,q.y,W.y),u=Math.max(j.y,Y.y,q.y,W.y)}var U=A+"Rot",H=M[U]=M[U]||{};H.x1=o,H.y1=l,H.x2=s,H.y2=u,H.w=s-o,H.h=u-l,As(e,o,l,s,u),As(a.labelBounds.all,o,l,s,u)}return e}},Ls=function(e,t){if(!t.cy().headless()){var n=t.pstyle("outline-opacity").value,r=t.pstyle("outline-width").value+t.pstyle("outline-offset").value;zs(e,t,n,r,"outside",r/2)}},zs=function(e,t,n,r,a,i){if(!(0===n||r<=0||"inside"===a)){var o=t.cy().renderer(),s=o.nodeShapes[o.getNodeShape(t)];if(s){var l=t.position(),u=l.x,c=l.y,d=t.width(),h=t.height();if(s.hasMiterBounds){"center"===a&&(r/=2);var f=s.miterBounds(u,c,d,h,r);Ms(e,f)}else null!=i&&i>0&&an(e,[i,i,i,i])}}},Os=function(e,t){var n,r,a,i,o,s,l,u=e._private.cy,c=u.styleEnabled(),d=u.headless(),h=tn(),f=e._private,p=e.isNode(),g=e.isEdge(),v=f.rstyle,y=p&&c?e.pstyle("bounds-expansion").pfValue:[0],m=function(e){return"none"!==e.pstyle("display").value},b=!c||m(e)&&(!g||m(e.source())&&m(e.target()));if(b){var x=0;c&&t.includeOverlays&&0!==e.pstyle("overlay-opacity").value&&(x=e.pstyle("overlay-padding").value);var w=0;c&&t.includeUnderlays&&0!==e.pstyle("underlay-opacity").value&&(w=e.pstyle("underlay-padding").value);var E=Math.max(x,w),k=0;if(c&&(k=e.pstyle("width").pfValue/2),p&&t.includeNodes){var T=e.position();o=T.x,s=T.y;var C=e.outerWidth()/2,P=e.outerHeight()/2;As(h,n=o-C,a=s-P,r=o+C,i=s+P),c&&Ls(h,e),c&&t.includeOutlines&&!d&&Ls(h,e),c&&function(e,t){if(!t.cy().headless()){var n=t.pstyle("border-opacity").value,r=t.pstyle("border-width").pfValue,a=t.pstyle("border-position").value;zs(e,t,n,r,a)}}(h,e)}else if(g&&t.includeEdges)if(c&&!d){var S=e.pstyle("curve-style").strValue;if(n=Math.min(v.srcX,v.midX,v.tgtX),r=Math.max(v.srcX,v.midX,v.tgtX),a=Math.min(v.srcY,v.midY,v.tgtY),i=Math.max(v.srcY,v.midY,v.tgtY),As(h,n-=k,a-=k,r+=k,i+=k),"haystack"===S){var B=v.haystackPts;if(B&&2===B.length){if(n=B[0].x,a=B[0].y,n>(r=B[1].x)){var D=n;n=r,r=D}if(a>(i=B[1].y)){var _=a;a=i,i=_}As(h,n-k,a-k,r+k,i+k)}}else if("bezier"===S||"unbundled-bezier"===S||ce(S,"segments")||ce(S,"taxi")){var A;switch(S){case"bezier":case"unbundled-bezier":A=v.bezierPts;break;case"segments":case"taxi":case"round-segments":case"round-taxi":A=v.linePts}if(null!=A)for(var M=0;M<A.length;M++){var R=A[M];n=R.x-k,r=R.x+k,a=R.y-k,i=R.y+k,As(h,n,a,r,i)}}}else{var I=e.source().position(),N=e.target().position();if((n=I.x)>(r=N.x)){var L=n;n=r,r=L}if((a=I.y)>(i=N.y)){var z=a;a=i,i=z}As(h,n-=k,a-=k,r+=k,i+=k)}if(c&&t.includeEdges&&g&&(Is(h,e,"mid-source"),Is(h,e,"mid-target"),Is(h,e,"source"),Is(h,e,"target")),c)if("yes"===e.pstyle("ghost").value){var O=e.pstyle("ghost-offset-x").pfValue,V=e.pstyle("ghost-offset-y").pfValue;As(h,h.x1+O,h.y1+V,h.x2+O,h.y2+V)}var F=f.bodyBounds=f.bodyBounds||{};on(F,h),an(F,y),rn(F,1),c&&(n=h.x1,r=h.x2,a=h.y1,i=h.y2,As(h,n-E,a-E,r+E,i+E));var X=f.overlayBounds=f.overlayBounds||{};on(X,h),an(X,y),rn(X,1);var j=f.labelBounds=f.labelBounds||{};null!=j.all?((l=j.all).x1=1/0,l.y1=1/0,l.x2=-1/0,l.y2=-1/0,l.w=0,l.h=0):j.all=tn(),c&&t.includeLabels&&(t.includeMainLabels&&Ns(h,e,null),g&&(t.includeSourceLabels&&Ns(h,e,"source"),t.includeTargetLabels&&Ns(h,e,"target")))}return h.x1=_s(h.x1),h.y1=_s(h.y1),h.x2=_s(h.x2),h.y2=_s(h.y2),h.w=_s(h.x2-h.x1),h.h=_s(h.y2-h.y1),h.w>0&&h.h>0&&b&&(an(h,y),rn(h,1)),h},Vs=function(e){var t=0,n=function(e){return(e?1:0)<<t++},r=0;return r+=n(e.incudeNodes),r+=n(e.includeEdges),r+=n(e.includeLabels),r+=n(e.includeMainLabels),r+=n(e.includeSourceLabels),r+=n(e.includeTargetLabels),r+=n(e.includeOverlays),r+=n(e.includeOutlines)},Fs=function(e){var t=function(e){return Math.round(e)};if(e.isEdge()){var n=e.source().position(),r=e.target().position();return qe([t(n.x),t(n.y),t(r.x),t(r.y)])}var a=e.position();return qe([t(a.x),t(a.y)])},Xs=function(e,t){var n,r=e._private,a=e.isEdge(),i=(null==t?Ys:Vs(t))===Ys;if(null==r.bbCache?(n=Os(e,js),r.bbCache=n,r.bbCachePosKey=Fs(e)):n=r.bbCache,!i){var o=e.isNode();n=tn(),(t.includeNodes&&o||t.includeEdges&&!o)&&(t.includeOverlays?Ms(n,r.overlayBounds):Ms(n,r.bodyBounds)),t.includeLabels&&(t.includeMainLabels&&(!a||t.includeSourceLabels&&t.includeTargetLabels)?Ms(n,r.labelBounds.all):(t.includeMainLabels&&Ms(n,r.labelBounds.mainRot),t.includeSourceLabels&&Ms(n,r.labelBounds.sourceRot),t.includeTargetLabels&&Ms(n,r.labelBounds.targetRot))),n.w=n.x2-n.x1,n.h=n.y2-n.y1}return n},js={includeNodes:!0,includeEdges:!0,includeLabels:!0,includeMainLabels:!0,includeSourceLabels:!0,includeTargetLabels:!0,includeOverlays:!0,includeUnderlays:!0,includeOutlines:!0,useCache:!0},Ys=Vs(js),qs=ct(js);Ps.boundingBox=function(e){var t,n=void 0===e||void 0===e.useCache||!0===e.useCache,r=ie((function(e){var t=e._private;return null==t.bbCache||t.styleDirty||t.bbCachePosKey!==Fs(e)}),(function(e){return e.id()}));if(n&&1===this.length&&!r(this[0]))e=void 0===e?js:qs(e),t=Xs(this[0],e);else{t=tn();var a=qs(e=e||js),i=this,o=i.cy().styleEnabled();this.edges().forEach(r),this.nodes().forEach(r),o&&this.recalculateRenderedStyle(n),this.updateCompoundBounds(!n);for(var s=0;s<i.length;s++){var l=i[s];r(l)&&l.dirtyBoundingBoxCache(),Ms(t,Xs(l,a))}}return t.x1=_s(t.x1),t.y1=_s(t.y1),t.x2=_s(t.x2),t.y2=_s(t.y2),t.w=_s(t.x2-t.x1),t.h=_s(t.y2-t.y1),t},Ps.dirtyBoundingBoxCache=function(){for(var e=0;e<this.length;e++){var t=this[e]._private;t.bbCache=null,t.bbCachePosKey=null,t.bodyBounds=null,t.overlayBounds=null,t.labelBounds.all=null,t.labelBounds.source=null,t.labelBounds.target=null,t.labelBounds.main=null,t.labelBounds.sourceRot=null,t.labelBounds.targetRot=null,t.labelBounds.mainRot=null,t.arrowBounds.source=null,t.arrowBounds.target=null,t.arrowBounds["mid-source"]=null,t.arrowBounds["mid-target"]=null}return this.emitAndNotify("bounds"),this},Ps.boundingBoxAt=function(e){var t=this.nodes(),n=this.cy(),r=n.hasCompoundNodes(),a=n.collection();if(r&&(a=t.filter((function(e){return e.isParent()})),t=t.not(a)),K(e)){var i=e;e=function(){return i}}n.startBatch(),t.forEach((function(t,n){return t._private.bbAtOldPos=e(t,n)})).silentPositions(e),r&&(a.dirtyCompoundBoundsCache(),a.dirtyBoundingBoxCache(),a.updateCompoundBounds(!0));var o=function(e){return{x1:e.x1,x2:e.x2,w:e.w,y1:e.y1,y2:e.y2,h:e.h}}(this.boundingBox({useCache:!1}));return t.silentPositions((function(e){return e._private.bbAtOldPos})),r&&(a.dirtyCompoundBoundsCache(),a.dirtyBoundingBoxCache(),a.updateCompoundBounds(!0)),n.endBatch(),o},Cs.boundingbox=Cs.bb=Cs.boundingBox,Cs.renderedBoundingbox=Cs.renderedBoundingBox;var Ws,Us,Hs=Ps;Ws=Us={};var Ks=function(e){e.uppercaseName=ue(e.name),e.autoName="auto"+e.uppercaseName,e.labelName="label"+e.uppercaseName,e.outerName="outer"+e.uppercaseName,e.uppercaseOuterName=ue(e.outerName),Ws[e.name]=function(){var t=this[0],n=t._private,r=n.cy._private.styleEnabled;if(t){if(r){if(t.isParent())return t.updateCompoundBounds(),n[e.autoName]||0;var a=t.pstyle(e.name);return"label"===a.strValue?(t.recalculateRenderedStyle(),n.rstyle[e.labelName]||0):a.pfValue}return 1}},Ws["outer"+e.uppercaseName]=function(){var t=this[0],n=t._private.cy._private.styleEnabled;if(t){if(n){var r=t[e.name](),a=t.pstyle("border-position").value;return r+("center"===a?t.pstyle("border-width").pfValue:"outside"===a?2*t.pstyle("border-width").pfValue:0)+2*t.padding()}return 1}},Ws["rendered"+e.uppercaseName]=function(){var t=this[0];if(t)return t[e.name]()*this.cy().zoom()},Ws["rendered"+e.uppercaseOuterName]=function(){var t=this[0];if(t)return t[e.outerName]()*this.cy().zoom()}};Ks({name:"width"}),Ks({name:"height"}),Us.padding=function(){var e=this[0],t=e._private;return e.isParent()?(e.updateCompoundBounds(),void 0!==t.autoPadding?t.autoPadding:e.pstyle("padding").pfValue):e.pstyle("padding").pfValue},Us.paddedHeight=function(){var e=this[0];return e.height()+2*e.padding()},Us.paddedWidth=function(){var e=this[0];return e.width()+2*e.padding()};var Gs=Us,Zs={controlPoints:{get:function(e){return e.renderer().getControlPoints(e)},mult:!0},segmentPoints:{get:function(e){return e.renderer().getSegmentPoints(e)},mult:!0},sourceEndpoint:{get:function(e){return e.renderer().getSourceEndpoint(e)}},targetEndpoint:{get:function(e){return e.renderer().getTargetEndpoint(e)}},midpoint:{get:function(e){return e.renderer().getEdgeMidpoint(e)}}},$s=Object.keys(Zs).reduce((function(e,t){var n=Zs[t],r=function(e){return"rendered"+e[0].toUpperCase()+e.substr(1)}(t);return e[t]=function(){return function(e,t){if(e.isEdge()&&e.takesUpSpace())return t(e)}(this,n.get)},n.mult?e[r]=function(){return function(e,t){if(e.isEdge()&&e.takesUpSpace()){var n=e.cy(),r=n.pan(),a=n.zoom();return t(e).map((function(e){return jt(e,a,r)}))}}(this,n.get)}:e[r]=function(){return function(e,t){if(e.isEdge()&&e.takesUpSpace()){var n=e.cy();return jt(t(e),n.zoom(),n.pan())}}(this,n.get)},e}),{}),Qs=ye({},Ss,Hs,Gs,$s),Js=function(e,t){this.recycle(e,t)};function el(){return!1}function tl(){return!0}Js.prototype={instanceString:function(){return"event"},recycle:function(e,t){if(this.isImmediatePropagationStopped=this.isPropagationStopped=this.isDefaultPrevented=el,null!=e&&e.preventDefault?(this.type=e.type,this.isDefaultPrevented=e.defaultPrevented?tl:el):null!=e&&e.type?t=e:this.type=e,null!=t&&(this.originalEvent=t.originalEvent,this.type=null!=t.type?t.type:this.type,this.cy=t.cy,this.target=t.target,this.position=t.position,this.renderedPosition=t.renderedPosition,this.namespace=t.namespace,this.layout=t.layout),null!=this.cy&&null!=this.position&&null==this.renderedPosition){var n=this.position,r=this.cy.zoom(),a=this.cy.pan();this.renderedPosition={x:n.x*r+a.x,y:n.y*r+a.y}}this.timeStamp=e&&e.timeStamp||Date.now()},preventDefault:function(){this.isDefaultPrevented=tl;var e=this.originalEvent;e&&e.preventDefault&&e.preventDefault()},stopPropagation:function(){this.isPropagationStopped=tl;var e=this.originalEvent;e&&e.stopPropagation&&e.stopPropagation()},stopImmediatePropagation:function(){this.isImmediatePropagationStopped=tl,this.stopPropagation()},isDefaultPrevented:el,isPropagationStopped:el,isImmediatePropagationStopped:el};var nl=/^([^.]+)(\.(?:[^.]+))?$/,rl={qualifierCompare:function(e,t){return e===t},eventMatches:function(){return!0},addEventFields:function(){},callbackContext:function(e){return e},beforeEmit:function(){},afterEmit:function(){},bubble:function(){return!1},parent:function(){return null},context:null},al=Object.keys(rl),il={};function ol(){for(var e=arguments.length>0&&void 0!==arguments[0]?arguments[0]:il,t=arguments.length>1?arguments[1]:void 0,n=0;n<al.length;n++){var r=al[n];this[r]=e[r]||rl[r]}this.context=t||this.context,this.listeners=[],this.emitting=0}var sl=ol.prototype,ll=function(e,t,n,r,a,i,o){U(r)&&(a=r,r=null),o&&(i=null==i?o:ye({},i,o));for(var s=H(n)?n:n.split(/\s+/),l=0;l<s.length;l++){var u=s[l];if(!re(u)){var c=u.match(nl);if(c)if(!1===t(e,u,c[1],c[2]?c[2]:null,r,a,i))break}}},ul=function(e,t){return e.addEventFields(e.context,t),new Js(t.type,t)},cl=function(e,t,n){if("event"!==q(n))if(K(n))t(e,ul(e,n));else for(var r=H(n)?n:n.split(/\s+/),a=0;a<r.length;a++){var i=r[a];if(!re(i)){var o=i.match(nl);if(o){var s=o[1],l=o[2]?o[2]:null;t(e,ul(e,{type:s,namespace:l,target:e.context}))}}}else t(e,n)};sl.on=sl.addListener=function(e,t,n,r,a){return ll(this,(function(e,t,n,r,a,i,o){U(i)&&e.listeners.push({event:t,callback:i,type:n,namespace:r,qualifier:a,conf:o})}),e,t,n,r,a),this},sl.one=function(e,t,n,r){return this.on(e,t,n,r,{one:!0})},sl.removeListener=sl.off=function(e,t,n,r){var a=this;0!==this.emitting&&(this.listeners=this.listeners.slice());for(var i=this.listeners,o=function(o){var s=i[o];ll(a,(function(t,n,r,a,l,u){if((s.type===r||"*"===e)&&(!a&&".*"!==s.namespace||s.namespace===a)&&(!l||t.qualifierCompare(s.qualifier,l))&&(!u||s.callback===u))return i.splice(o,1),!1}),e,t,n,r)},s=i.length-1;s>=0;s--)o(s);return this},sl.removeAllListeners=function(){return this.removeListener("*")},sl.emit=sl.trigger=function(e,t,n){var r=this.listeners,a=r.length;return this.emitting++,H(t)||(t=[t]),cl(this,(function(e,i){null!=n&&(r=[{event:i.event,type:i.type,namespace:i.namespace,callback:n}],a=r.length);for(var o=function(){var n=r[s];if(n.type===i.type&&(!n.namespace||n.namespace===i.namespace||".*"===n.namespace)&&e.eventMatches(e.context,n,i)){var a=[i];null!=t&&function(e,t){for(var n=0;n<t.length;n++){var r=t[n];e.push(r)}}(a,t),e.beforeEmit(e.context,n,i),n.conf&&n.conf.one&&(e.listeners=e.listeners.filter((function(e){return e!==n})));var o=e.callbackContext(e.context,n,i),l=n.callback.apply(o,a);e.afterEmit(e.context,n,i),!1===l&&(i.stopPropagation(),i.preventDefault())}},s=0;s<a;s++)o();e.bubble(e.context)&&!i.isPropagationStopped()&&e.parent(e.context).emit(i,t)}),e),this.emitting--,this};var dl={qualifierCompare:function(e,t){return null==e||null==t?null==e&&null==t:e.sameText(t)},eventMatches:function(e,t,n){var r=t.qualifier;return null==r||e!==n.target&&J(n.target)&&r.matches(n.target)},addEventFields:function(e,t){t.cy=e.cy(),t.target=e},callbackContext:function(e,t,n){return null!=t.qualifier?n.target:e},beforeEmit:function(e,t){t.conf&&t.conf.once&&t.conf.onceCollection.removeListener(t.event,t.qualifier,t.callback)},bubble:function(){return!0},parent:function(e){return e.isChild()?e.parent():e.cy()}},hl=function(e){return W(e)?new os(e):e},fl={createEmitter:function(){for(var e=0;e<this.length;e++){var t=this[e],n=t._private;n.emitter||(n.emitter=new ol(dl,t))}return this},emitter:function(){return this._private.emitter},on:function(e,t,n){for(var r=hl(t),a=0;a<this.length;a++){this[a].emitter().on(e,r,n)}return this},removeListener:function(e,t,n){for(var r=hl(t),a=0;a<this.length;a++){this[a].emitter().removeListener(e,r,n)}return this},removeAllListeners:function(){for(var e=0;e<this.length;e++){this[e].emitter().removeAllListeners()}return this},one:function(e,t,n){for(var r=hl(t),a=0;a<this.length;a++){this[a].emitter().one(e,r,n)}return this},once:function(e,t,n){for(var r=hl(t),a=0;a<this.length;a++){this[a].emitter().on(e,r,n,{once:!0,onceCollection:this})}},emit:function(e,t){for(var n=0;n<this.length;n++){this[n].emitter().emit(e,t)}return this},emitAndNotify:function(e,t){if(0!==this.length)return this.cy().notify(e,this),this.emit(e,t),this}};Eo.eventAliasesOn(fl);var pl={nodes:function(e){return this.filter((function(e){return e.isNode()})).filter(e)},edges:function(e){return this.filter((function(e){return e.isEdge()})).filter(e)},byGroup:function(){for(var e=this.spawn(),t=this.spawn(),n=0;n<this.length;n++){var r=this[n];r.isNode()?e.push(r):t.push(r)}return{nodes:e,edges:t}},filter:function(e,t){if(void 0===e)return this;if(W(e)||Q(e))return new os(e).filter(this);if(U(e)){for(var n=this.spawn(),r=this,a=0;a<r.length;a++){var i=r[a];(t?e.apply(t,[i,a,r]):e(i,a,r))&&n.push(i)}return n}return this.spawn()},not:function(e){if(e){W(e)&&(e=this.filter(e));for(var t=this.spawn(),n=0;n<this.length;n++){var r=this[n];e.has(r)||t.push(r)}return t}return this},absoluteComplement:function(){return this.cy().mutableElements().not(this)},intersect:function(e){if(W(e)){var t=e;return this.filter(t)}for(var n=this.spawn(),r=e,a=this.length<e.length,i=a?this:r,o=a?r:this,s=0;s<i.length;s++){var l=i[s];o.has(l)&&n.push(l)}return n},xor:function(e){var t=this._private.cy;W(e)&&(e=t.$(e));var n=this.spawn(),r=e,a=function(e,t){for(var r=0;r<e.length;r++){var a=e[r],i=a._private.data.id;t.hasElementWithId(i)||n.push(a)}};return a(this,r),a(r,this),n},diff:function(e){var t=this._private.cy;W(e)&&(e=t.$(e));var n=this.spawn(),r=this.spawn(),a=this.spawn(),i=e,o=function(e,t,n){for(var r=0;r<e.length;r++){var i=e[r],o=i._private.data.id;t.hasElementWithId(o)?a.merge(i):n.push(i)}};return o(this,i,n),o(i,this,r),{left:n,right:r,both:a}},add:function(e){var t=this._private.cy;if(!e)return this;if(W(e)){var n=e;e=t.mutableElements().filter(n)}for(var r=this.spawnSelf(),a=0;a<e.length;a++){var i=e[a],o=!this.has(i);o&&r.push(i)}return r},merge:function(e){var t=this._private,n=t.cy;if(!e)return this;if(e&&W(e)){var r=e;e=n.mutableElements().filter(r)}for(var a=t.map,i=0;i<e.length;i++){var o=e[i],s=o._private.data.id;if(!a.has(s)){var l=this.length++;this[l]=o,a.set(s,{ele:o,index:l})}}return this},unmergeAt:function(e){var t=this[e].id(),n=this._private.map;this[e]=void 0,n.delete(t);var r=e===this.length-1;if(this.length>1&&!r){var a=this.length-1,i=this[a],o=i._private.data.id;this[a]=void 0,this[e]=i,n.set(o,{ele:i,index:e})}return this.length--,this},unmergeOne:function(e){e=e[0];var t=this._private,n=e._private.data.id,r=t.map.get(n);if(!r)return this;var a=r.index;return this.unmergeAt(a),this},unmerge:function(e){var t=this._private.cy;if(!e)return this;if(e&&W(e)){var n=e;e=t.mutableElements().filter(n)}for(var r=0;r<e.length;r++)this.unmergeOne(e[r]);return this},unmergeBy:function(e){for(var t=this.length-1;t>=0;t--){e(this[t])&&this.unmergeAt(t)}return this},map:function(e,t){for(var n=[],r=this,a=0;a<r.length;a++){var i=r[a],o=t?e.apply(t,[i,a,r]):e(i,a,r);n.push(o)}return n},reduce:function(e,t){for(var n=t,r=this,a=0;a<r.length;a++)n=e(n,r[a],a,r);return n},max:function(e,t){for(var n,r=-1/0,a=this,i=0;i<a.length;i++){var o=a[i],s=t?e.apply(t,[o,i,a]):e(o,i,a);s>r&&(r=s,n=o)}return{value:r,ele:n}},min:function(e,t){for(var n,r=1/0,a=this,i=0;i<a.length;i++){var o=a[i],s=t?e.apply(t,[o,i,a]):e(o,i,a);s<r&&(r=s,n=o)}return{value:r,ele:n}}},gl=pl;gl.u=gl["|"]=gl["+"]=gl.union=gl.or=gl.add,gl["\\"]=gl["!"]=gl["-"]=gl.difference=gl.relativeComplement=gl.subtract=gl.not,gl.n=gl["&"]=gl["."]=gl.and=gl.intersection=gl.intersect,gl["^"]=gl["(+)"]=gl["(-)"]=gl.symmetricDifference=gl.symdiff=gl.xor,gl.fnFilter=gl.filterFn=gl.stdFilter=gl.filter,gl.complement=gl.abscomp=gl.absoluteComplement;var vl=function(e,t){var n=e.cy().hasCompoundNodes();function r(e){var t=e.pstyle("z-compound-depth");return"auto"===t.value?n?e.zDepth():0:"bottom"===t.value?-1:"top"===t.value?Qe:0}var a=r(e)-r(t);if(0!==a)return a;function i(e){return"auto"===e.pstyle("z-index-compare").value&&e.isNode()?1:0}var o=i(e)-i(t);if(0!==o)return o;var s=e.pstyle("z-index").value-t.pstyle("z-index").value;return 0!==s?s:e.poolIndex()-t.poolIndex()},yl={forEach:function(e,t){if(U(e))for(var n=this.length,r=0;r<n;r++){var a=this[r];if(!1===(t?e.apply(t,[a,r,this]):e(a,r,this)))break}return this},toArray:function(){for(var e=[],t=0;t<this.length;t++)e.push(this[t]);return e},slice:function(e,t){var n=[],r=this.length;null==t&&(t=r),null==e&&(e=0),e<0&&(e=r+e),t<0&&(t=r+t);for(var a=e;a>=0&&a<t&&a<r;a++)n.push(this[a]);return this.spawn(n)},size:function(){return this.length},eq:function(e){return this[e]||this.spawn()},first:function(){return this[0]||this.spawn()},last:function(){return this[this.length-1]||this.spawn()},empty:function(){return 0===this.length},nonempty:function(){return!this.empty()},sort:function(e){if(!U(e))return this;var t=this.toArray().sort(e);return this.spawn(t)},sortByZIndex:function(){return this.sort(vl)},zDepth:function(){var e=this[0];if(e){var t=e._private;if("nodes"===t.group){var n=t.data.parent?e.parents().size():0;return e.isParent()?n:Qe-1}var r=t.source,a=t.target,i=r.zDepth(),o=a.zDepth();return Math.max(i,o,0)}}};yl.each=yl.forEach;var ml;ml="undefined",("undefined"==typeof Symbol?"undefined":l(Symbol))!=ml&&l(Symbol.iterator)!=ml&&(yl[Symbol.iterator]=function(){var e=this,t={value:void 0,done:!1},n=0,r=this.length;return a({next:function(){return n<r?t.value=e[n++]:(t.value=void 0,t.done=!0),t}},Symbol.iterator,(function(){return this}))});var bl=ct({nodeDimensionsIncludeLabels:!1}),xl={layoutDimensions:function(e){var t;if(e=bl(e),this.takesUpSpace())if(e.nodeDimensionsIncludeLabels){var n=this.boundingBox();t={w:n.w,h:n.h}}else t={w:this.outerWidth(),h:this.outerHeight()};else t={w:0,h:0};return 0!==t.w&&0!==t.h||(t.w=t.h=1),t},layoutPositions:function(e,t,n){var r=this.nodes().filter((function(e){return!e.isParent()})),a=this.cy(),i=t.eles,o=function(e){return e.id()},s=ie(n,o);e.emit({type:"layoutstart",layout:e}),e.animations=[];var l=t.spacingFactor&&1!==t.spacingFactor,u=function(){if(!l)return null;for(var e=tn(),t=0;t<r.length;t++){var n=r[t],a=s(n,t);nn(e,a.x,a.y)}return e}(),c=ie((function(e,n){var r=s(e,n);l&&(r=function(e,t,n){var r=t.x1+t.w/2,a=t.y1+t.h/2;return{x:r+(n.x-r)*e,y:a+(n.y-a)*e}}(Math.abs(t.spacingFactor),u,r));return null!=t.transform&&(r=t.transform(e,r)),r}),o);if(t.animate){for(var d=0;d<r.length;d++){var h=r[d],f=c(h,d);if(null==t.animateFilter||t.animateFilter(h,d)){var p=h.animation({position:f,duration:t.animationDuration,easing:t.animationEasing});e.animations.push(p)}else h.position(f)}if(t.fit){var g=a.animation({fit:{boundingBox:i.boundingBoxAt(c),padding:t.padding},duration:t.animationDuration,easing:t.animationEasing});e.animations.push(g)}else if(void 0!==t.zoom&&void 0!==t.pan){var v=a.animation({zoom:t.zoom,pan:t.pan,duration:t.animationDuration,easing:t.animationEasing});e.animations.push(v)}e.animations.forEach((function(e){return e.play()})),e.one("layoutready",t.ready),e.emit({type:"layoutready",layout:e}),Gr.all(e.animations.map((function(e){return e.promise()}))).then((function(){e.one("layoutstop",t.stop),e.emit({type:"layoutstop",layout:e})}))}else r.positions(c),t.fit&&a.fit(t.eles,t.padding),null!=t.zoom&&a.zoom(t.zoom),t.pan&&a.pan(t.pan),e.one("layoutready",t.ready),e.emit({type:"layoutready",layout:e}),e.one("layoutstop",t.stop),e.emit({type:"layoutstop",layout:e});return this},layout:function(e){return this.cy().makeLayout(ye({},e,{eles:this}))}};function wl(e,t,n){var r,a=n._private,i=a.styleCache=a.styleCache||[];return null!=(r=i[e])?r:r=i[e]=t(n)}function El(e,t){return e=We(e),function(n){return wl(e,t,n)}}function kl(e,t){e=We(e);var n=function(e){return t.call(e)};return function(){var t=this[0];if(t)return wl(e,n,t)}}xl.createLayout=xl.makeLayout=xl.layout;var Tl={recalculateRenderedStyle:function(e){var t=this.cy(),n=t.renderer(),r=t.styleEnabled();return n&&r&&n.recalculateRenderedStyle(this,e),this},dirtyStyleCache:function(){var e,t=this.cy(),n=function(e){return e._private.styleCache=null};t.hasCompoundNodes()?((e=this.spawnSelf().merge(this.descendants()).merge(this.parents())).merge(e.connectedEdges()),e.forEach(n)):this.forEach((function(e){n(e),e.connectedEdges().forEach(n)}));return this},updateStyle:function(e){var t=this._private.cy;if(!t.styleEnabled())return this;if(t.batching())return t._private.batchStyleEles.merge(this),this;var n=this;e=!(!e&&void 0!==e),t.hasCompoundNodes()&&(n=this.spawnSelf().merge(this.descendants()).merge(this.parents()));var r=n;return e?r.emitAndNotify("style"):r.emit("style"),n.forEach((function(e){return e._private.styleDirty=!0})),this},cleanStyle:function(){var e=this.cy();if(e.styleEnabled())for(var t=0;t<this.length;t++){var n=this[t];n._private.styleDirty&&(n._private.styleDirty=!1,e.style().apply(n))}},parsedStyle:function(e){var t=!(arguments.length>1&&void 0!==arguments[1])||arguments[1],n=this[0],r=n.cy();if(r.styleEnabled()&&n){n._private.styleDirty&&(n._private.styleDirty=!1,r.style().apply(n));var a=n._private.style[e];return null!=a?a:t?r.style().getDefaultProperty(e):null}},numericStyle:function(e){var t=this[0];if(t.cy().styleEnabled()&&t){var n=t.pstyle(e);return void 0!==n.pfValue?n.pfValue:n.value}},numericStyleUnits:function(e){var t=this[0];if(t.cy().styleEnabled())return t?t.pstyle(e).units:void 0},renderedStyle:function(e){var t=this.cy();if(!t.styleEnabled())return this;var n=this[0];return n?t.style().getRenderedStyle(n,e):void 0},style:function(e,t){var n=this.cy();if(!n.styleEnabled())return this;var r=!1,a=n.style();if(K(e)){var i=e;a.applyBypass(this,i,r),this.emitAndNotify("style")}else if(W(e)){if(void 0===t){var o=this[0];return o?a.getStylePropertyValue(o,e):void 0}a.applyBypass(this,e,t,r),this.emitAndNotify("style")}else if(void 0===e){var s=this[0];return s?a.getRawStyle(s):void 0}return this},removeStyle:function(e){var t=this.cy();if(!t.styleEnabled())return this;var n=!1,r=t.style(),a=this;if(void 0===e)for(var i=0;i<a.length;i++){var o=a[i];r.removeAllBypasses(o,n)}else{e=e.split(/\s+/);for(var s=0;s<a.length;s++){var l=a[s];r.removeBypasses(l,e,n)}}return this.emitAndNotify("style"),this},show:function(){return this.css("display","element"),this},hide:function(){return this.css("display","none"),this},effectiveOpacity:function(){var e=this.cy();if(!e.styleEnabled())return 1;var t=e.hasCompoundNodes(),n=this[0];if(n){var r=n._private,a=n.pstyle("opacity").value;if(!t)return a;var i=r.data.parent?n.parents():null;if(i)for(var o=0;o<i.length;o++){a*=i[o].pstyle("opacity").value}return a}},transparent:function(){if(!this.cy().styleEnabled())return!1;var e=this[0],t=e.cy().hasCompoundNodes();return e?t?0===e.effectiveOpacity():0===e.pstyle("opacity").value:void 0},backgrounding:function(){return!!this.cy().styleEnabled()&&!!this[0]._private.backgrounding}};function Cl(e,t){var n=e._private.data.parent?e.parents():null;if(n)for(var r=0;r<n.length;r++){if(!t(n[r]))return!1}return!0}function Pl(e){var t=e.ok,n=e.edgeOkViaNode||e.ok,r=e.parentOk||e.ok;return function(){var e=this.cy();if(!e.styleEnabled())return!0;var a=this[0],i=e.hasCompoundNodes();if(a){var o=a._private;if(!t(a))return!1;if(a.isNode())return!i||Cl(a,r);var s=o.source,l=o.target;return n(s)&&(!i||Cl(s,n))&&(s===l||n(l)&&(!i||Cl(l,n)))}}}var Sl=El("eleTakesUpSpace",(function(e){return"element"===e.pstyle("display").value&&0!==e.width()&&(!e.isNode()||0!==e.height())}));Tl.takesUpSpace=kl("takesUpSpace",Pl({ok:Sl}));var Bl=El("eleInteractive",(function(e){return"yes"===e.pstyle("events").value&&"visible"===e.pstyle("visibility").value&&Sl(e)})),Dl=El("parentInteractive",(function(e){return"visible"===e.pstyle("visibility").value&&Sl(e)}));Tl.interactive=kl("interactive",Pl({ok:Bl,parentOk:Dl,edgeOkViaNode:Sl})),Tl.noninteractive=function(){var e=this[0];if(e)return!e.interactive()};var _l=El("eleVisible",(function(e){return"visible"===e.pstyle("visibility").value&&0!==e.pstyle("opacity").pfValue&&Sl(e)})),Al=Sl;Tl.visible=kl("visible",Pl({ok:_l,edgeOkViaNode:Al})),Tl.hidden=function(){var e=this[0];if(e)return!e.visible()},Tl.isBundledBezier=kl("isBundledBezier",(function(){return!!this.cy().styleEnabled()&&(!this.removed()&&"bezier"===this.pstyle("curve-style").value&&this.takesUpSpace())})),Tl.bypass=Tl.css=Tl.style,Tl.renderedCss=Tl.renderedStyle,Tl.removeBypass=Tl.removeCss=Tl.removeStyle,Tl.pstyle=Tl.parsedStyle;var Ml={};function Rl(e){return function(){var t=arguments,n=[];if(2===t.length){var r=t[0],a=t[1];this.on(e.event,r,a)}else if(1===t.length&&U(t[0])){var i=t[0];this.on(e.event,i)}else if(0===t.length||1===t.length&&H(t[0])){for(var o=1===t.length?t[0]:null,s=0;s<this.length;s++){var l=this[s],u=!e.ableField||l._private[e.ableField],c=l._private[e.field]!=e.value;if(e.overrideAble){var d=e.overrideAble(l);if(void 0!==d&&(u=d,!d))return this}u&&(l._private[e.field]=e.value,c&&n.push(l))}var h=this.spawn(n);h.updateStyle(),h.emit(e.event),o&&h.emit(o)}return this}}function Il(e){Ml[e.field]=function(){var t=this[0];if(t){if(e.overrideField){var n=e.overrideField(t);if(void 0!==n)return n}return t._private[e.field]}},Ml[e.on]=Rl({event:e.on,field:e.field,ableField:e.ableField,overrideAble:e.overrideAble,value:!0}),Ml[e.off]=Rl({event:e.off,field:e.field,ableField:e.ableField,overrideAble:e.overrideAble,value:!1})}Il({field:"locked",overrideField:function(e){return!!e.cy().autolock()||void 0},on:"lock",off:"unlock"}),Il({field:"grabbable",overrideField:function(e){return!e.cy().autoungrabify()&&!e.pannable()&&void 0},on:"grabify",off:"ungrabify"}),Il({field:"selected",ableField:"selectable",overrideAble:function(e){return!e.cy().autounselectify()&&void 0},on:"select",off:"unselect"}),Il({field:"selectable",overrideField:function(e){return!e.cy().autounselectify()&&void 0},on:"selectify",off:"unselectify"}),Ml.deselect=Ml.unselect,Ml.grabbed=function(){var e=this[0];if(e)return e._private.grabbed},Il({field:"active",on:"activate",off:"unactivate"}),Il({field:"pannable",on:"panify",off:"unpanify"}),Ml.inactive=function(){var e=this[0];if(e)return!e._private.active};var Nl={},Ll=function(e){return function(t){for(var n=[],r=0;r<this.length;r++){var a=this[r];if(a.isNode()){for(var i=!1,o=a.connectedEdges(),s=0;s<o.length;s++){var l=o[s],u=l.source(),c=l.target();if(e.noIncomingEdges&&c===a&&u!==a||e.noOutgoingEdges&&u===a&&c!==a){i=!0;break}}i||n.push(a)}}return this.spawn(n,!0).filter(t)}},zl=function(e){return function(t){for(var n=[],r=0;r<this.length;r++){var a=this[r];if(a.isNode())for(var i=a.connectedEdges(),o=0;o<i.length;o++){var s=i[o],l=s.source(),u=s.target();e.outgoing&&l===a?(n.push(s),n.push(u)):e.incoming&&u===a&&(n.push(s),n.push(l))}}return this.spawn(n,!0).filter(t)}},Ol=function(e){return function(t){for(var n=this,r=[],a={};;){var i=e.outgoing?n.outgoers():n.incomers();if(0===i.length)break;for(var o=!1,s=0;s<i.length;s++){var l=i[s],u=l.id();a[u]||(a[u]=!0,r.push(l),o=!0)}if(!o)break;n=i}return this.spawn(r,!0).filter(t)}};function Vl(e){return function(t){for(var n=[],r=0;r<this.length;r++){var a=this[r]._private[e.attr];a&&n.push(a)}return this.spawn(n,!0).filter(t)}}function Fl(e){return function(t){var n=[],r=this._private.cy,a=e||{};W(t)&&(t=r.$(t));for(var i=0;i<t.length;i++)for(var o=t[i]._private.edges,s=0;s<o.length;s++){var l=o[s],u=l._private.data,c=this.hasElementWithId(u.source)&&t.hasElementWithId(u.target),d=t.hasElementWithId(u.source)&&this.hasElementWithId(u.target);if(c||d){if(a.thisIsSrc||a.thisIsTgt){if(a.thisIsSrc&&!c)continue;if(a.thisIsTgt&&!d)continue}n.push(l)}}return this.spawn(n,!0)}}function Xl(e){return e=ye({},{codirected:!1},e),function(t){for(var n=[],r=this.edges(),a=e,i=0;i<r.length;i++)for(var o=r[i]._private,s=o.source,l=s._private.data.id,u=o.data.target,c=s._private.edges,d=0;d<c.length;d++){var h=c[d],f=h._private.data,p=f.target,g=f.source,v=p===u&&g===l,y=l===p&&u===g;(a.codirected&&v||!a.codirected&&(v||y))&&n.push(h)}return this.spawn(n,!0).filter(t)}}Nl.clearTraversalCache=function(){for(var e=0;e<this.length;e++)this[e]._private.traversalCache=null},ye(Nl,{roots:Ll({noIncomingEdges:!0}),leaves:Ll({noOutgoingEdges:!0}),outgoers:ds(zl({outgoing:!0}),"outgoers"),successors:Ol({outgoing:!0}),incomers:ds(zl({incoming:!0}),"incomers"),predecessors:Ol({})}),ye(Nl,{neighborhood:ds((function(e){for(var t=[],n=this.nodes(),r=0;r<n.length;r++)for(var a=n[r],i=a.connectedEdges(),o=0;o<i.length;o++){var s=i[o],l=s.source(),u=s.target(),c=a===l?u:l;c.length>0&&t.push(c[0]),t.push(s[0])}return this.spawn(t,!0).filter(e)}),"neighborhood"),closedNeighborhood:function(e){return this.neighborhood().add(this).filter(e)},openNeighborhood:function(e){return this.neighborhood(e)}}),Nl.neighbourhood=Nl.neighborhood,Nl.closedNeighbourhood=Nl.closedNeighborhood,Nl.openNeighbourhood=Nl.openNeighborhood,ye(Nl,{source:ds((function(e){var t,n=this[0];return n&&(t=n._private.source||n.cy().collection()),t&&e?t.filter(e):t}),"source"),target:ds((function(e){var t,n=this[0];return n&&(t=n._private.target||n.cy().collection()),t&&e?t.filter(e):t}),"target"),sources:Vl({attr:"source"}),targets:Vl({attr:"target"})}),ye(Nl,{edgesWith:ds(Fl(),"edgesWith"),edgesTo:ds(Fl({thisIsSrc:!0}),"edgesTo")}),ye(Nl,{connectedEdges:ds((function(e){for(var t=[],n=0;n<this.length;n++){var r=this[n];if(r.isNode())for(var a=r._private.edges,i=0;i<a.length;i++){var o=a[i];t.push(o)}}return this.spawn(t,!0).filter(e)}),"connectedEdges"),connectedNodes:ds((function(e){for(var t=[],n=0;n<this.length;n++){var r=this[n];r.isEdge()&&(t.push(r.source()[0]),t.push(r.target()[0]))}return this.spawn(t,!0).filter(e)}),"connectedNodes"),parallelEdges:ds(Xl(),"parallelEdges"),codirectedEdges:ds(Xl({codirected:!0}),"codirectedEdges")}),ye(Nl,{components:function(e){var t=this,n=t.cy(),r=n.collection(),a=null==e?t.nodes():e.nodes(),i=[];null!=e&&a.empty()&&(a=e.sources());var o=function(e,t){r.merge(e),a.unmerge(e),t.merge(e)};if(a.empty())return t.spawn();var s=function(){var e=n.collection();i.push(e);var r=a[0];o(r,e),t.bfs({directed:!1,roots:r,visit:function(t){return o(t,e)}}),e.forEach((function(n){n.connectedEdges().forEach((function(n){t.has(n)&&e.has(n.source())&&e.has(n.target())&&e.merge(n)}))}))};do{s()}while(a.length>0);return i},component:function(){var e=this[0];return e.cy().mutableElements().components(e)[0]}}),Nl.componentsOf=Nl.components;var jl=function(e,t){var n=arguments.length>2&&void 0!==arguments[2]&&arguments[2],r=arguments.length>3&&void 0!==arguments[3]&&arguments[3];if(void 0!==e){var a=new gt,i=!1;if(t){if(t.length>0&&K(t[0])&&!J(t[0])){i=!0;for(var o=[],s=new yt,l=0,u=t.length;l<u;l++){var c=t[l];null==c.data&&(c.data={});var d=c.data;if(null==d.id)d.id=st();else if(e.hasElementWithId(d.id)||s.has(d.id))continue;var h=new mt(e,c,!1);o.push(h),s.add(d.id)}t=o}}else t=[];this.length=0;for(var f=0,p=t.length;f<p;f++){var g=t[f][0];if(null!=g){var v=g._private.data.id;n&&a.has(v)||(n&&a.set(v,{index:this.length,ele:g}),this[this.length]=g,this.length++)}}this._private={eles:this,cy:e,get map(){return null==this.lazyMap&&this.rebuildMap(),this.lazyMap},set map(e){this.lazyMap=e},rebuildMap:function(){for(var e=this.lazyMap=new gt,t=this.eles,n=0;n<t.length;n++){var r=t[n];e.set(r.id(),{index:n,ele:r})}}},n&&(this._private.map=a),i&&!r&&this.restore()}else rt("A collection must have a reference to the core")},Yl=mt.prototype=jl.prototype=Object.create(Array.prototype);Yl.instanceString=function(){return"collection"},Yl.spawn=function(e,t){return new jl(this.cy(),e,t)},Yl.spawnSelf=function(){return this.spawn(this)},Yl.cy=function(){return this._private.cy},Yl.renderer=function(){return this._private.cy.renderer()},Yl.element=function(){return this[0]},Yl.collection=function(){return ee(this)?this:new jl(this._private.cy,[this])},Yl.unique=function(){return new jl(this._private.cy,this,!0)},Yl.hasElementWithId=function(e){return e=""+e,this._private.map.has(e)},Yl.getElementById=function(e){e=""+e;var t=this._private.cy,n=this._private.map.get(e);return n?n.ele:new jl(t)},Yl.$id=Yl.getElementById,Yl.poolIndex=function(){var e=this._private.cy._private.elements,t=this[0]._private.data.id;return e._private.map.get(t).index},Yl.indexOf=function(e){var t=e[0]._private.data.id;return this._private.map.get(t).index},Yl.indexOfId=function(e){return e=""+e,this._private.map.get(e).index},Yl.json=function(e){var t=this.element(),n=this.cy();if(null==t&&e)return this;if(null!=t){var r=t._private;if(K(e)){if(n.startBatch(),e.data){t.data(e.data);var a=r.data;if(t.isEdge()){var i=!1,o={},s=e.data.source,l=e.data.target;null!=s&&s!=a.source&&(o.source=""+s,i=!0),null!=l&&l!=a.target&&(o.target=""+l,i=!0),i&&(t=t.move(o))}else{var u="parent"in e.data,c=e.data.parent;!u||null==c&&null==a.parent||c==a.parent||(void 0===c&&(c=null),null!=c&&(c=""+c),t=t.move({parent:c}))}}e.position&&t.position(e.position);var d=function(n,a,i){var o=e[n];null!=o&&o!==r[n]&&(o?t[a]():t[i]())};return d("removed","remove","restore"),d("selected","select","unselect"),d("selectable","selectify","unselectify"),d("locked","lock","unlock"),d("grabbable","grabify","ungrabify"),d("pannable","panify","unpanify"),null!=e.classes&&t.classes(e.classes),n.endBatch(),this}if(void 0===e){var h={data:ot(r.data),position:ot(r.position),group:r.group,removed:r.removed,selected:r.selected,selectable:r.selectable,locked:r.locked,grabbable:r.grabbable,pannable:r.pannable,classes:null};h.classes="";var f=0;return r.classes.forEach((function(e){return h.classes+=0==f++?e:" "+e})),h}}},Yl.jsons=function(){for(var e=[],t=0;t<this.length;t++){var n=this[t].json();e.push(n)}return e},Yl.clone=function(){for(var e=this.cy(),t=[],n=0;n<this.length;n++){var r=this[n].json(),a=new mt(e,r,!1);t.push(a)}return new jl(e,t)},Yl.copy=Yl.clone,Yl.restore=function(){for(var e,t,n=!(arguments.length>0&&void 0!==arguments[0])||arguments[0],r=!(arguments.length>1&&void 0!==arguments[1])||arguments[1],a=this,i=a.cy(),o=i._private,s=[],l=[],u=0,c=a.length;u<c;u++){var d=a[u];r&&!d.removed()||(d.isNode()?s.push(d):l.push(d))}e=s.concat(l);var h=function(){e.splice(t,1),t--};for(t=0;t<e.length;t++){var f=e[t],p=f._private,g=p.data;if(f.clearTraversalCache(),r||p.removed)if(void 0===g.id)g.id=st();else if(G(g.id))g.id=""+g.id;else{if(re(g.id)||!W(g.id)){rt("Can not create element with invalid string ID `"+g.id+"`"),h();continue}if(i.hasElementWithId(g.id)){rt("Can not create second element with ID `"+g.id+"`"),h();continue}}else;var v=g.id;if(f.isNode()){var y=p.position;null==y.x&&(y.x=0),null==y.y&&(y.y=0)}if(f.isEdge()){for(var m=f,b=["source","target"],x=b.length,w=!1,E=0;E<x;E++){var k=b[E],T=g[k];G(T)&&(T=g[k]=""+g[k]),null==T||""===T?(rt("Can not create edge `"+v+"` with unspecified "+k),w=!0):i.hasElementWithId(T)||(rt("Can not create edge `"+v+"` with nonexistent "+k+" `"+T+"`"),w=!0)}if(w){h();continue}var C=i.getElementById(g.source),P=i.getElementById(g.target);C.same(P)?C._private.edges.push(m):(C._private.edges.push(m),P._private.edges.push(m)),m._private.source=C,m._private.target=P}p.map=new gt,p.map.set(v,{ele:f,index:0}),p.removed=!1,r&&i.addToPool(f)}for(var S=0;S<s.length;S++){var B=s[S],D=B._private.data;G(D.parent)&&(D.parent=""+D.parent);var _=D.parent;if(null!=_||B._private.parent){var A=B._private.parent?i.collection().merge(B._private.parent):i.getElementById(_);if(A.empty())D.parent=void 0;else if(A[0].removed())it("Node added with missing parent, reference to parent removed"),D.parent=void 0,B._private.parent=null;else{for(var M=!1,R=A;!R.empty();){if(B.same(R)){M=!0,D.parent=void 0;break}R=R.parent()}M||(A[0]._private.children.push(B),B._private.parent=A[0],o.hasCompoundNodes=!0)}}}if(e.length>0){for(var I=e.length===a.length?a:new jl(i,e),N=0;N<I.length;N++){var L=I[N];L.isNode()||(L.parallelEdges().clearTraversalCache(),L.source().clearTraversalCache(),L.target().clearTraversalCache())}(o.hasCompoundNodes?i.collection().merge(I).merge(I.connectedNodes()).merge(I.parent()):I).dirtyCompoundBoundsCache().dirtyBoundingBoxCache().updateStyle(n),n?I.emitAndNotify("add"):r&&I.emit("add")}return a},Yl.removed=function(){var e=this[0];return e&&e._private.removed},Yl.inside=function(){var e=this[0];return e&&!e._private.removed},Yl.remove=function(){var e=!(arguments.length>0&&void 0!==arguments[0])||arguments[0],t=!(arguments.length>1&&void 0!==arguments[1])||arguments[1],n=this,r=[],a={},i=n._private.cy;function o(e){var n=a[e.id()];t&&e.removed()||n||(a[e.id()]=!0,e.isNode()?(r.push(e),function(e){for(var t=e._private.edges,n=0;n<t.length;n++)o(t[n])}(e),function(e){for(var t=e._private.children,n=0;n<t.length;n++)o(t[n])}(e)):r.unshift(e))}for(var s=0,l=n.length;s<l;s++){o(n[s])}function u(e,t){var n=e._private.edges;dt(n,t),e.clearTraversalCache()}function c(e){e.clearTraversalCache()}var d=[];function h(e,t){t=t[0];var n=(e=e[0])._private.children,r=e.id();dt(n,t),t._private.parent=null,d.ids[r]||(d.ids[r]=!0,d.push(e))}d.ids={},n.dirtyCompoundBoundsCache(),t&&i.removeFromPool(r);for(var f=0;f<r.length;f++){var p=r[f];if(p.isEdge()){var g=p.source()[0],v=p.target()[0];u(g,p),u(v,p);for(var y=p.parallelEdges(),m=0;m<y.length;m++){var b=y[m];c(b),b.isBundledBezier()&&b.dirtyBoundingBoxCache()}}else{var x=p.parent();0!==x.length&&h(x,p)}t&&(p._private.removed=!0)}var w=i._private.elements;i._private.hasCompoundNodes=!1;for(var E=0;E<w.length;E++){if(w[E].isParent()){i._private.hasCompoundNodes=!0;break}}var k=new jl(this.cy(),r);k.size()>0&&(e?k.emitAndNotify("remove"):t&&k.emit("remove"));for(var T=0;T<d.length;T++){var C=d[T];t&&C.removed()||C.updateStyle()}return k},Yl.move=function(e){var t=this._private.cy,n=this,r=!1,a=!1,i=function(e){return null==e?e:""+e};if(void 0!==e.source||void 0!==e.target){var o=i(e.source),s=i(e.target),l=null!=o&&t.hasElementWithId(o),u=null!=s&&t.hasElementWithId(s);(l||u)&&(t.batch((function(){n.remove(r,a),n.emitAndNotify("moveout");for(var e=0;e<n.length;e++){var t=n[e],i=t._private.data;t.isEdge()&&(l&&(i.source=o),u&&(i.target=s))}n.restore(r,a)})),n.emitAndNotify("move"))}else if(void 0!==e.parent){var c=i(e.parent);if(null===c||t.hasElementWithId(c)){var d=null===c?void 0:c;t.batch((function(){var e=n.remove(r,a);e.emitAndNotify("moveout");for(var t=0;t<n.length;t++){var i=n[t],o=i._private.data;i.isNode()&&(o.parent=d)}e.restore(r,a)})),n.emitAndNotify("move")}}return this},[jr,ko,To,ls,hs,bs,xs,Qs,fl,pl,{isNode:function(){return"nodes"===this.group()},isEdge:function(){return"edges"===this.group()},isLoop:function(){return this.isEdge()&&this.source()[0]===this.target()[0]},isSimple:function(){return this.isEdge()&&this.source()[0]!==this.target()[0]},group:function(){var e=this[0];if(e)return e._private.group}},yl,xl,Tl,Ml,Nl].forEach((function(e){ye(Yl,e)}));var ql={add:function(e){var t,n=this;if(Q(e)){var r=e;if(r._private.cy===n)t=r.restore();else{for(var a=[],i=0;i<r.length;i++){var o=r[i];a.push(o.json())}t=new jl(n,a)}}else if(H(e)){t=new jl(n,e)}else if(K(e)&&(H(e.nodes)||H(e.edges))){for(var s=e,l=[],u=["nodes","edges"],c=0,d=u.length;c<d;c++){var h=u[c],f=s[h];if(H(f))for(var p=0,g=f.length;p<g;p++){var v=ye({group:h},f[p]);l.push(v)}}t=new jl(n,l)}else{t=new mt(n,e).collection()}return t},remove:function(e){if(Q(e));else if(W(e)){var t=e;e=this.$(t)}return e.remove()}};
/*! Bezier curve function generator. Copyright Gaetan Renaudeau. MIT License: http://en.wikipedia.org/wiki/MIT_License */function Wl(e,t,n,r){var a=.1,i="undefined"!=typeof Float32Array;if(4!==arguments.length)return!1;for(var o=0;o<4;++o)if("number"!=typeof arguments[o]||isNaN(arguments[o])||!isFinite(arguments[o]))return!1;e=Math.min(e,1),n=Math.min(n,1),e=Math.max(e,0),n=Math.max(n,0);var s=i?new Float32Array(11):new Array(11);function l(e,t){return 1-3*t+3*e}function u(e,t){return 3*t-6*e}function c(e){return 3*e}function d(e,t,n){return((l(t,n)*e+u(t,n))*e+c(t))*e}function h(e,t,n){return 3*l(t,n)*e*e+2*u(t,n)*e+c(t)}function f(t){for(var r=0,i=1;10!==i&&s[i]<=t;++i)r+=a;--i;var o=r+(t-s[i])/(s[i+1]-s[i])*a,l=h(o,e,n);return l>=.001?function(t,r){for(var a=0;a<4;++a){var i=h(r,e,n);if(0===i)return r;r-=(d(r,e,n)-t)/i}return r}(t,o):0===l?o:function(t,r,a){var i,o,s=0;do{(i=d(o=r+(a-r)/2,e,n)-t)>0?a=o:r=o}while(Math.abs(i)>1e-7&&++s<10);return o}(t,r,r+a)}var p=!1;function g(){p=!0,e===t&&n===r||function(){for(var t=0;t<11;++t)s[t]=d(t*a,e,n)}()}var v=function(a){return p||g(),e===t&&n===r?a:0===a?0:1===a?1:d(f(a),t,r)};v.getControlPoints=function(){return[{x:e,y:t},{x:n,y:r}]};var y="generateBezier("+[e,t,n,r]+")";return v.toString=function(){return y},v}
/*! Runge-Kutta spring physics function generator. Adapted from Framer.js, copyright Koen Bok. MIT License: http://en.wikipedia.org/wiki/MIT_License */var Ul=function(){function e(e){return-e.tension*e.x-e.friction*e.v}function t(t,n,r){var a={x:t.x+r.dx*n,v:t.v+r.dv*n,tension:t.tension,friction:t.friction};return{dx:a.v,dv:e(a)}}function n(n,r){var a={dx:n.v,dv:e(n)},i=t(n,.5*r,a),o=t(n,.5*r,i),s=t(n,r,o),l=1/6*(a.dx+2*(i.dx+o.dx)+s.dx),u=1/6*(a.dv+2*(i.dv+o.dv)+s.dv);return n.x=n.x+l*r,n.v=n.v+u*r,n}return function e(t,r,a){var i,o,s,l={x:-1,v:0,tension:null,friction:null},u=[0],c=0,d=1e-4;for(t=parseFloat(t)||500,r=parseFloat(r)||20,a=a||null,l.tension=t,l.friction=r,o=(i=null!==a)?(c=e(t,r))/a*.016:.016;s=n(s||l,o),u.push(1+s.x),c+=16,Math.abs(s.x)>d&&Math.abs(s.v)>d;);return i?function(e){return u[e*(u.length-1)|0]}:c}}(),Hl=function(e,t,n,r){var a=Wl(e,t,n,r);return function(e,t,n){return e+(t-e)*a(n)}},Kl={linear:function(e,t,n){return e+(t-e)*n},ease:Hl(.25,.1,.25,1),"ease-in":Hl(.42,0,1,1),"ease-out":Hl(0,0,.58,1),"ease-in-out":Hl(.42,0,.58,1),"ease-in-sine":Hl(.47,0,.745,.715),"ease-out-sine":Hl(.39,.575,.565,1),"ease-in-out-sine":Hl(.445,.05,.55,.95),"ease-in-quad":Hl(.55,.085,.68,.53),"ease-out-quad":Hl(.25,.46,.45,.94),"ease-in-out-quad":Hl(.455,.03,.515,.955),"ease-in-cubic":Hl(.55,.055,.675,.19),"ease-out-cubic":Hl(.215,.61,.355,1),"ease-in-out-cubic":Hl(.645,.045,.355,1),"ease-in-quart":Hl(.895,.03,.685,.22),"ease-out-quart":Hl(.165,.84,.44,1),"ease-in-out-quart":Hl(.77,0,.175,1),"ease-in-quint":Hl(.755,.05,.855,.06),"ease-out-quint":Hl(.23,1,.32,1),"ease-in-out-quint":Hl(.86,0,.07,1),"ease-in-expo":Hl(.95,.05,.795,.035),"ease-out-expo":Hl(.19,1,.22,1),"ease-in-out-expo":Hl(1,0,0,1),"ease-in-circ":Hl(.6,.04,.98,.335),"ease-out-circ":Hl(.075,.82,.165,1),"ease-in-out-circ":Hl(.785,.135,.15,.86),spring:function(e,t,n){if(0===n)return Kl.linear;var r=Ul(e,t,n);return function(e,t,n){return e+(t-e)*r(n)}},"cubic-bezier":Hl};function Gl(e,t,n,r,a){if(1===r)return n;if(t===n)return n;var i=a(t,n,r);return null==e||((e.roundValue||e.color)&&(i=Math.round(i)),void 0!==e.min&&(i=Math.max(i,e.min)),void 0!==e.max&&(i=Math.min(i,e.max))),i}function Zl(e,t){return null!=e.pfValue||null!=e.value?null==e.pfValue||null!=t&&"%"===t.type.units?e.value:e.pfValue:e}function $l(e,t,n,r,a){var i=null!=a?a.type:null;n<0?n=0:n>1&&(n=1);var o=Zl(e,a),s=Zl(t,a);if(G(o)&&G(s))return Gl(i,o,s,n,r);if(H(o)&&H(s)){for(var l=[],u=0;u<s.length;u++){var c=o[u],d=s[u];if(null!=c&&null!=d){var h=Gl(i,c,d,n,r);l.push(h)}else l.push(d)}return l}}function Ql(e,t,n,r){var a=!r,i=e._private,o=t._private,s=o.easing,l=o.startTime,u=(r?e:e.cy()).style();if(!o.easingImpl)if(null==s)o.easingImpl=Kl.linear;else{var c,d,h;if(W(s))c=u.parse("transition-timing-function",s).value;else c=s;W(c)?(d=c,h=[]):(d=c[1],h=c.slice(2).map((function(e){return+e}))),h.length>0?("spring"===d&&h.push(o.duration),o.easingImpl=Kl[d].apply(null,h)):o.easingImpl=Kl[d]}var f,p=o.easingImpl;if(f=0===o.duration?1:(n-l)/o.duration,o.applying&&(f=o.progress),f<0?f=0:f>1&&(f=1),null==o.delay){var g=o.startPosition,v=o.position;if(v&&a&&!e.locked()){var y={};Jl(g.x,v.x)&&(y.x=$l(g.x,v.x,f,p)),Jl(g.y,v.y)&&(y.y=$l(g.y,v.y,f,p)),e.position(y)}var m=o.startPan,b=o.pan,x=i.pan,w=null!=b&&r;w&&(Jl(m.x,b.x)&&(x.x=$l(m.x,b.x,f,p)),Jl(m.y,b.y)&&(x.y=$l(m.y,b.y,f,p)),e.emit("pan"));var E=o.startZoom,k=o.zoom,T=null!=k&&r;T&&(Jl(E,k)&&(i.zoom=en(i.minZoom,$l(E,k,f,p),i.maxZoom)),e.emit("zoom")),(w||T)&&e.emit("viewport");var C=o.style;if(C&&C.length>0&&a){for(var P=0;P<C.length;P++){var S=C[P],B=S.name,D=S,_=o.startStyle[B],A=$l(_,D,f,p,u.properties[_.name]);u.overrideBypass(e,B,A)}e.emit("style")}}return o.progress=f,f}function Jl(e,t){return null!=e&&null!=t&&(!(!G(e)||!G(t))||!(!e||!t))}function eu(e,t,n,r){var a=t._private;a.started=!0,a.startTime=n-a.progress*a.duration}function tu(e,t){var n=t._private.aniEles,r=[];function a(t,n){var a=t._private,i=a.animation.current,o=a.animation.queue,s=!1;if(0===i.length){var l=o.shift();l&&i.push(l)}for(var u=function(e){for(var t=e.length-1;t>=0;t--){(0,e[t])()}e.splice(0,e.length)},c=i.length-1;c>=0;c--){var d=i[c],h=d._private;h.stopped?(i.splice(c,1),h.hooked=!1,h.playing=!1,h.started=!1,u(h.frames)):(h.playing||h.applying)&&(h.playing&&h.applying&&(h.applying=!1),h.started||eu(0,d,e),Ql(t,d,e,n),h.applying&&(h.applying=!1),u(h.frames),null!=h.step&&h.step(e),d.completed()&&(i.splice(c,1),h.hooked=!1,h.playing=!1,h.started=!1,u(h.completes)),s=!0)}return n||0!==i.length||0!==o.length||r.push(t),s}for(var i=!1,o=0;o<n.length;o++){var s=a(n[o]);i=i||s}var l=a(t,!0);(i||l)&&(n.length>0?t.notify("draw",n):t.notify("draw")),n.unmerge(r),t.emit("step")}var nu={animate:Eo.animate(),animation:Eo.animation(),animated:Eo.animated(),clearQueue:Eo.clearQueue(),delay:Eo.delay(),delayAnimation:Eo.delayAnimation(),stop:Eo.stop(),addToAnimationPool:function(e){this.styleEnabled()&&this._private.aniEles.merge(e)},stopAnimationLoop:function(){this._private.animationsRunning=!1},startAnimationLoop:function(){var e=this;if(e._private.animationsRunning=!0,e.styleEnabled()){var t=e.renderer();t&&t.beforeRender?t.beforeRender((function(t,n){tu(n,e)}),t.beforeRenderPriorities.animations):function t(){e._private.animationsRunning&&Ne((function(n){tu(n,e),t()}))}()}}},ru={qualifierCompare:function(e,t){return null==e||null==t?null==e&&null==t:e.sameText(t)},eventMatches:function(e,t,n){var r=t.qualifier;return null==r||e!==n.target&&J(n.target)&&r.matches(n.target)},addEventFields:function(e,t){t.cy=e,t.target=e},callbackContext:function(e,t,n){return null!=t.qualifier?n.target:e}},au=function(e){return W(e)?new os(e):e},iu={createEmitter:function(){var e=this._private;return e.emitter||(e.emitter=new ol(ru,this)),this},emitter:function(){return this._private.emitter},on:function(e,t,n){return this.emitter().on(e,au(t),n),this},removeListener:function(e,t,n){return this.emitter().removeListener(e,au(t),n),this},removeAllListeners:function(){return this.emitter().removeAllListeners(),this},one:function(e,t,n){return this.emitter().one(e,au(t),n),this},once:function(e,t,n){return this.emitter().one(e,au(t),n),this},emit:function(e,t){return this.emitter().emit(e,t),this},emitAndNotify:function(e,t){return this.emit(e),this.notify(e,t),this}};Eo.eventAliasesOn(iu);var ou={png:function(e){return e=e||{},this._private.renderer.png(e)},jpg:function(e){var t=this._private.renderer;return(e=e||{}).bg=e.bg||"#fff",t.jpg(e)}};ou.jpeg=ou.jpg;var su={layout:function(e){var t=this;if(null!=e)if(null!=e.name){var n=e.name,r=t.extension("layout",n);if(null!=r){var a;a=W(e.eles)?t.$(e.eles):null!=e.eles?e.eles:t.$();var i=new r(ye({},e,{cy:t,eles:a}));return i}rt("No such layout `"+n+"` found.  Did you forget to import it and `cytoscape.use()` it?")}else rt("A `name` must be specified to make a layout");else rt("Layout options must be specified to make a layout")}};su.createLayout=su.makeLayout=su.layout;var lu={notify:function(e,t){var n=this._private;if(this.batching()){n.batchNotifications=n.batchNotifications||{};var r=n.batchNotifications[e]=n.batchNotifications[e]||this.collection();null!=t&&r.merge(t)}else if(n.notificationsEnabled){var a=this.renderer();!this.destroyed()&&a&&a.notify(e,t)}},notifications:function(e){var t=this._private;return void 0===e?t.notificationsEnabled:(t.notificationsEnabled=!!e,this)},noNotifications:function(e){this.notifications(!1),e(),this.notifications(!0)},batching:function(){return this._private.batchCount>0},startBatch:function(){var e=this._private;return null==e.batchCount&&(e.batchCount=0),0===e.batchCount&&(e.batchStyleEles=this.collection(),e.batchNotifications={}),e.batchCount++,this},endBatch:function(){var e=this._private;if(0===e.batchCount)return this;if(e.batchCount--,0===e.batchCount){e.batchStyleEles.updateStyle();var t=this.renderer();Object.keys(e.batchNotifications).forEach((function(n){var r=e.batchNotifications[n];r.empty()?t.notify(n):t.notify(n,r)}))}return this},batch:function(e){return this.startBatch(),e(),this.endBatch(),this},batchData:function(e){var t=this;return this.batch((function(){for(var n=Object.keys(e),r=0;r<n.length;r++){var a=n[r],i=e[a];t.getElementById(a).data(i)}}))}},uu=ct({hideEdgesOnViewport:!1,textureOnViewport:!1,motionBlur:!1,motionBlurOpacity:.05,pixelRatio:void 0,desktopTapThreshold:4,touchTapThreshold:8,wheelSensitivity:1,debug:!1,showFps:!1,webgl:!1,webglDebug:!1,webglDebugShowAtlases:!1,webglTexSize:2048,webglTexRows:36,webglTexRowsNodes:18,webglBatchSize:2048,webglTexPerBatch:14,webglBgColor:[255,255,255]}),cu={renderTo:function(e,t,n,r){return this._private.renderer.renderTo(e,t,n,r),this},renderer:function(){return this._private.renderer},forceRender:function(){return this.notify("draw"),this},resize:function(){return this.invalidateSize(),this.emitAndNotify("resize"),this},initRenderer:function(e){var t=this,n=t.extension("renderer",e.name);if(null!=n){void 0!==e.wheelSensitivity&&it("You have set a custom wheel sensitivity.  This will make your app zoom unnaturally when using mainstream mice.  You should change this value from the default only if you can guarantee that all your users will use the same hardware and OS configuration as your current machine.");var r=uu(e);r.cy=t,t._private.renderer=new n(r),this.notify("init")}else rt("Can not initialise: No such renderer `".concat(e.name,"` found. Did you forget to import it and `cytoscape.use()` it?"))},destroyRenderer:function(){var e=this;e.notify("destroy");var t=e.container();if(t)for(t._cyreg=null;t.childNodes.length>0;)t.removeChild(t.childNodes[0]);e._private.renderer=null,e.mutableElements().forEach((function(e){var t=e._private;t.rscratch={},t.rstyle={},t.animation.current=[],t.animation.queue=[]}))},onRender:function(e){return this.on("render",e)},offRender:function(e){return this.off("render",e)}};cu.invalidateDimensions=cu.resize;var du={collection:function(e,t){return W(e)?this.$(e):Q(e)?e.collection():H(e)?(t||(t={}),new jl(this,e,t.unique,t.removed)):new jl(this)},nodes:function(e){var t=this.$((function(e){return e.isNode()}));return e?t.filter(e):t},edges:function(e){var t=this.$((function(e){return e.isEdge()}));return e?t.filter(e):t},$:function(e){var t=this._private.elements;return e?t.filter(e):t.spawnSelf()},mutableElements:function(){return this._private.elements}};du.elements=du.filter=du.$;var hu={},fu="t";hu.apply=function(e){for(var t=this,n=t._private.cy.collection(),r=0;r<e.length;r++){var a=e[r],i=t.getContextMeta(a);if(!i.empty){var o=t.getContextStyle(i),s=t.applyContextStyle(i,o,a);a._private.appliedInitStyle?t.updateTransitions(a,s.diffProps):a._private.appliedInitStyle=!0,t.updateStyleHints(a)&&n.push(a)}}return n},hu.getPropertiesDiff=function(e,t){var n=this,r=n._private.propDiffs=n._private.propDiffs||{},a=e+"-"+t,i=r[a];if(i)return i;for(var o=[],s={},l=0;l<n.length;l++){var u=n[l],c=e[l]===fu,d=t[l]===fu,h=c!==d,f=u.mappedProperties.length>0;if(h||d&&f){var p=void 0;h&&f||h?p=u.properties:f&&(p=u.mappedProperties);for(var g=0;g<p.length;g++){for(var v=p[g],y=v.name,m=!1,b=l+1;b<n.length;b++){var x=n[b];if(t[b]===fu&&(m=null!=x.properties[v.name]))break}s[y]||m||(s[y]=!0,o.push(y))}}}return r[a]=o,o},hu.getContextMeta=function(e){for(var t,n=this,r="",a=e._private.styleCxtKey||"",i=0;i<n.length;i++){var o=n[i];r+=o.selector&&o.selector.matches(e)?fu:"f"}return t=n.getPropertiesDiff(a,r),e._private.styleCxtKey=r,{key:r,diffPropNames:t,empty:0===t.length}},hu.getContextStyle=function(e){var t=e.key,n=this._private.contextStyles=this._private.contextStyles||{};if(n[t])return n[t];for(var r={_private:{key:t}},a=0;a<this.length;a++){var i=this[a];if(t[a]===fu)for(var o=0;o<i.properties.length;o++){var s=i.properties[o];r[s.name]=s}}return n[t]=r,r},hu.applyContextStyle=function(e,t,n){for(var r=e.diffPropNames,a={},i=this.types,o=0;o<r.length;o++){var s=r[o],l=t[s],u=n.pstyle(s);if(!l){if(!u)continue;l=u.bypass?{name:s,deleteBypassed:!0}:{name:s,delete:!0}}if(u!==l){if(l.mapped===i.fn&&null!=u&&null!=u.mapping&&u.mapping.value===l.value){var c=u.mapping;if((c.fnValue=l.value(n))===c.prevFnValue)continue}var d=a[s]={prev:u};this.applyParsedProperty(n,l),d.next=n.pstyle(s),d.next&&d.next.bypass&&(d.next=d.next.bypassed)}}return{diffProps:a}},hu.updateStyleHints=function(e){var t=e._private,n=this,r=n.propertyGroupNames,a=n.propertyGroupKeys,i=function(e,t,r){return n.getPropertiesHash(e,t,r)},o=t.styleKey;if(e.removed())return!1;var s="nodes"===t.group,l=e._private.style;r=Object.keys(l);for(var u=0;u<a.length;u++){var c=a[u];t.styleKeys[c]=[ze,Oe]}for(var d,h=function(e,n){return t.styleKeys[n][0]=Fe(e,t.styleKeys[n][0])},f=function(e,n){return t.styleKeys[n][1]=Xe(e,t.styleKeys[n][1])},p=function(e,t){h(e,t),f(e,t)},g=function(e,t){for(var n=0;n<e.length;n++){var r=e.charCodeAt(n);h(r,t),f(r,t)}},v=0;v<r.length;v++){var y=r[v],m=l[y];if(null!=m){var b=this.properties[y],x=b.type,w=b.groupKey,E=void 0;null!=b.hashOverride?E=b.hashOverride(e,m):null!=m.pfValue&&(E=m.pfValue);var k=null==b.enums?m.value:null,T=null!=E,C=T||null!=k,P=m.units;if(x.number&&C&&!x.multiple)p(-128<(d=T?E:k)&&d<128&&Math.floor(d)!==d?2e9-(1024*d|0):d,w),T||null==P||g(P,w);else g(m.strValue,w)}}for(var S,B,D=[ze,Oe],_=0;_<a.length;_++){var A=a[_],M=t.styleKeys[A];D[0]=Fe(M[0],D[0]),D[1]=Xe(M[1],D[1])}t.styleKey=(S=D[0],B=D[1],2097152*S+B);var R=t.styleKeys;t.labelDimsKey=je(R.labelDimensions);var I=i(e,["label"],R.labelDimensions);if(t.labelKey=je(I),t.labelStyleKey=je(Ye(R.commonLabel,I)),!s){var N=i(e,["source-label"],R.labelDimensions);t.sourceLabelKey=je(N),t.sourceLabelStyleKey=je(Ye(R.commonLabel,N));var L=i(e,["target-label"],R.labelDimensions);t.targetLabelKey=je(L),t.targetLabelStyleKey=je(Ye(R.commonLabel,L))}if(s){var z=t.styleKeys,O=z.nodeBody,V=z.nodeBorder,F=z.nodeOutline,X=z.backgroundImage,j=z.compound,Y=z.pie,q=z.stripe,W=[O,V,F,X,j,Y,q].filter((function(e){return null!=e})).reduce(Ye,[ze,Oe]);t.nodeKey=je(W),t.hasPie=null!=Y&&Y[0]!==ze&&Y[1]!==Oe,t.hasStripe=null!=q&&q[0]!==ze&&q[1]!==Oe}return o!==t.styleKey},hu.clearStyleHints=function(e){var t=e._private;t.styleCxtKey="",t.styleKeys={},t.styleKey=null,t.labelKey=null,t.labelStyleKey=null,t.sourceLabelKey=null,t.sourceLabelStyleKey=null,t.targetLabelKey=null,t.targetLabelStyleKey=null,t.nodeKey=null,t.hasPie=null,t.hasStripe=null},hu.applyParsedProperty=function(e,t){var n,r=this,a=t,i=e._private.style,o=r.types,s=r.properties[a.name].type,l=a.bypass,u=i[a.name],c=u&&u.bypass,d=e._private,h="mapping",f=function(e){return null==e?null:null!=e.pfValue?e.pfValue:e.value},p=function(){var t=f(u),n=f(a);r.checkTriggers(e,a.name,t,n)};if("curve-style"===t.name&&e.isEdge()&&("bezier"!==t.value&&e.isLoop()||"haystack"===t.value&&(e.source().isParent()||e.target().isParent()))&&(a=t=this.parse(t.name,"bezier",l)),a.delete)return i[a.name]=void 0,p(),!0;if(a.deleteBypassed)return u?!!u.bypass&&(u.bypassed=void 0,p(),!0):(p(),!0);if(a.deleteBypass)return u?!!u.bypass&&(i[a.name]=u.bypassed,p(),!0):(p(),!0);var g=function(){it("Do not assign mappings to elements without corresponding data (i.e. ele `"+e.id()+"` has no mapping for property `"+a.name+"` with data field `"+a.field+"`); try a `["+a.field+"]` selector to limit scope to elements with `"+a.field+"` defined")};switch(a.mapped){case o.mapData:for(var v,y=a.field.split("."),m=d.data,b=0;b<y.length&&m;b++){m=m[y[b]]}if(null==m)return g(),!1;if(!G(m))return it("Do not use continuous mappers without specifying numeric data (i.e. `"+a.field+": "+m+"` for `"+e.id()+"` is non-numeric)"),!1;var x=a.fieldMax-a.fieldMin;if((v=0===x?0:(m-a.fieldMin)/x)<0?v=0:v>1&&(v=1),s.color){var w=a.valueMin[0],E=a.valueMax[0],k=a.valueMin[1],T=a.valueMax[1],C=a.valueMin[2],P=a.valueMax[2],S=null==a.valueMin[3]?1:a.valueMin[3],B=null==a.valueMax[3]?1:a.valueMax[3],D=[Math.round(w+(E-w)*v),Math.round(k+(T-k)*v),Math.round(C+(P-C)*v),Math.round(S+(B-S)*v)];n={bypass:a.bypass,name:a.name,value:D,strValue:"rgb("+D[0]+", "+D[1]+", "+D[2]+")"}}else{if(!s.number)return!1;var _=a.valueMin+(a.valueMax-a.valueMin)*v;n=this.parse(a.name,_,a.bypass,h)}if(!n)return g(),!1;n.mapping=a,a=n;break;case o.data:for(var A=a.field.split("."),M=d.data,R=0;R<A.length&&M;R++){M=M[A[R]]}if(null!=M&&(n=this.parse(a.name,M,a.bypass,h)),!n)return g(),!1;n.mapping=a,a=n;break;case o.fn:var I=a.value,N=null!=a.fnValue?a.fnValue:I(e);if(a.prevFnValue=N,null==N)return it("Custom function mappers may not return null (i.e. `"+a.name+"` for ele `"+e.id()+"` is null)"),!1;if(!(n=this.parse(a.name,N,a.bypass,h)))return it("Custom function mappers may not return invalid values for the property type (i.e. `"+a.name+"` for ele `"+e.id()+"` is invalid)"),!1;n.mapping=ot(a),a=n;break;case void 0:break;default:return!1}return l?(a.bypassed=c?u.bypassed:u,i[a.name]=a):c?u.bypassed=a:i[a.name]=a,p(),!0},hu.cleanElements=function(e,t){for(var n=0;n<e.length;n++){var r=e[n];if(this.clearStyleHints(r),r.dirtyCompoundBoundsCache(),r.dirtyBoundingBoxCache(),t)for(var a=r._private.style,i=Object.keys(a),o=0;o<i.length;o++){var s=i[o],l=a[s];null!=l&&(l.bypass?l.bypassed=null:a[s]=null)}else r._private.style={}}},hu.update=function(){this._private.cy.mutableElements().updateStyle()},hu.updateTransitions=function(e,t){var n=this,r=e._private,a=e.pstyle("transition-property").value,i=e.pstyle("transition-duration").pfValue,o=e.pstyle("transition-delay").pfValue;if(a.length>0&&i>0){for(var s={},l=!1,u=0;u<a.length;u++){var c=a[u],d=e.pstyle(c),h=t[c];if(h){var f=h.prev,p=null!=h.next?h.next:d,g=!1,v=void 0,y=1e-6;f&&(G(f.pfValue)&&G(p.pfValue)?(g=p.pfValue-f.pfValue,v=f.pfValue+y*g):G(f.value)&&G(p.value)?(g=p.value-f.value,v=f.value+y*g):H(f.value)&&H(p.value)&&(g=f.value[0]!==p.value[0]||f.value[1]!==p.value[1]||f.value[2]!==p.value[2],v=f.strValue),g&&(s[c]=p.strValue,this.applyBypass(e,c,v),l=!0))}}if(!l)return;r.transitioning=!0,new Gr((function(t){o>0?e.delayAnimation(o).play().promise().then(t):t()})).then((function(){return e.animation({style:s,duration:i,easing:e.pstyle("transition-timing-function").value,queue:!1}).play().promise()})).then((function(){n.removeBypasses(e,a),e.emitAndNotify("style"),r.transitioning=!1}))}else r.transitioning&&(this.removeBypasses(e,a),e.emitAndNotify("style"),r.transitioning=!1)},hu.checkTrigger=function(e,t,n,r,a,i){var o=this.properties[t],s=a(o);e.removed()||null!=s&&s(n,r,e)&&i(o)},hu.checkZOrderTrigger=function(e,t,n,r){var a=this;this.checkTrigger(e,t,n,r,(function(e){return e.triggersZOrder}),(function(){a._private.cy.notify("zorder",e)}))},hu.checkBoundsTrigger=function(e,t,n,r){this.checkTrigger(e,t,n,r,(function(e){return e.triggersBounds}),(function(t){e.dirtyCompoundBoundsCache(),e.dirtyBoundingBoxCache()}))},hu.checkConnectedEdgesBoundsTrigger=function(e,t,n,r){this.checkTrigger(e,t,n,r,(function(e){return e.triggersBoundsOfConnectedEdges}),(function(t){e.connectedEdges().forEach((function(e){e.dirtyBoundingBoxCache()}))}))},hu.checkParallelEdgesBoundsTrigger=function(e,t,n,r){this.checkTrigger(e,t,n,r,(function(e){return e.triggersBoundsOfParallelEdges}),(function(t){e.parallelEdges().forEach((function(e){e.dirtyBoundingBoxCache()}))}))},hu.checkTriggers=function(e,t,n,r){e.dirtyStyleCache(),this.checkZOrderTrigger(e,t,n,r),this.checkBoundsTrigger(e,t,n,r),this.checkConnectedEdgesBoundsTrigger(e,t,n,r),this.checkParallelEdgesBoundsTrigger(e,t,n,r)};var pu={applyBypass:function(e,t,n,r){var a=[];if("*"===t||"**"===t){if(void 0!==n)for(var i=0;i<this.properties.length;i++){var o=this.properties[i].name,s=this.parse(o,n,!0);s&&a.push(s)}}else if(W(t)){var l=this.parse(t,n,!0);l&&a.push(l)}else{if(!K(t))return!1;var u=t;r=n;for(var c=Object.keys(u),d=0;d<c.length;d++){var h=c[d],f=u[h];if(void 0===f&&(f=u[se(h)]),void 0!==f){var p=this.parse(h,f,!0);p&&a.push(p)}}}if(0===a.length)return!1;for(var g=!1,v=0;v<e.length;v++){for(var y=e[v],m={},b=void 0,x=0;x<a.length;x++){var w=a[x];if(r){var E=y.pstyle(w.name);b=m[w.name]={prev:E}}g=this.applyParsedProperty(y,ot(w))||g,r&&(b.next=y.pstyle(w.name))}g&&this.updateStyleHints(y),r&&this.updateTransitions(y,m,true)}return g},overrideBypass:function(e,t,n){t=oe(t);for(var r=0;r<e.length;r++){var a=e[r],i=a._private.style[t],o=this.properties[t].type,s=o.color,l=o.mutiple,u=i?null!=i.pfValue?i.pfValue:i.value:null;i&&i.bypass?(i.value=n,null!=i.pfValue&&(i.pfValue=n),i.strValue=s?"rgb("+n.join(",")+")":l?n.join(" "):""+n,this.updateStyleHints(a)):this.applyBypass(a,t,n),this.checkTriggers(a,t,u,n)}},removeAllBypasses:function(e,t){return this.removeBypasses(e,this.propertyNames,t)},removeBypasses:function(e,t,n){for(var r=0;r<e.length;r++){for(var a=e[r],i={},o=0;o<t.length;o++){var s=t[o],l=this.properties[s],u=a.pstyle(l.name);if(u&&u.bypass){var c=this.parse(s,"",!0),d=i[l.name]={prev:u};this.applyParsedProperty(a,c),d.next=a.pstyle(l.name)}}this.updateStyleHints(a),n&&this.updateTransitions(a,i,true)}}},gu={getEmSizeInPixels:function(){var e=this.containerCss("font-size");return null!=e?parseFloat(e):1},containerCss:function(e){var t=this._private.cy,n=t.container(),r=t.window();if(r&&n&&r.getComputedStyle)return r.getComputedStyle(n).getPropertyValue(e)}},vu={getRenderedStyle:function(e,t){return t?this.getStylePropertyValue(e,t,!0):this.getRawStyle(e,!0)},getRawStyle:function(e,t){var n=this;if(e=e[0]){for(var r={},a=0;a<n.properties.length;a++){var i=n.properties[a],o=n.getStylePropertyValue(e,i.name,t);null!=o&&(r[i.name]=o,r[se(i.name)]=o)}return r}},getIndexedStyle:function(e,t,n,r){var a=e.pstyle(t)[n][r];return null!=a?a:e.cy().style().getDefaultProperty(t)[n][0]},getStylePropertyValue:function(e,t,n){if(e=e[0]){var r=this.properties[t];r.alias&&(r=r.pointsTo);var a=r.type,i=e.pstyle(r.name);if(i){var o=i.value,s=i.units,l=i.strValue;if(n&&a.number&&null!=o&&G(o)){var u=e.cy().zoom(),c=function(e){return e*u},d=function(e,t){return c(e)+t},h=H(o);return(h?s.every((function(e){return null!=e})):null!=s)?h?o.map((function(e,t){return d(e,s[t])})).join(" "):d(o,s):h?o.map((function(e){return W(e)?e:""+c(e)})).join(" "):""+c(o)}if(null!=l)return l}return null}},getAnimationStartStyle:function(e,t){for(var n={},r=0;r<t.length;r++){var a=t[r].name,i=e.pstyle(a);void 0!==i&&(i=K(i)?this.parse(a,i.strValue):this.parse(a,i)),i&&(n[a]=i)}return n},getPropsList:function(e){var t=[],n=e,r=this.properties;if(n)for(var a=Object.keys(n),i=0;i<a.length;i++){var o=a[i],s=n[o],l=r[o]||r[oe(o)],u=this.parse(l.name,s);u&&t.push(u)}return t},getNonDefaultPropertiesHash:function(e,t,n){var r,a,i,o,s,l,u=n.slice();for(s=0;s<t.length;s++)if(r=t[s],null!=(a=e.pstyle(r,!1)))if(null!=a.pfValue)u[0]=Fe(o,u[0]),u[1]=Xe(o,u[1]);else for(i=a.strValue,l=0;l<i.length;l++)o=i.charCodeAt(l),u[0]=Fe(o,u[0]),u[1]=Xe(o,u[1]);return u}};vu.getPropertiesHash=vu.getNonDefaultPropertiesHash;var yu={appendFromJson:function(e){for(var t=this,n=0;n<e.length;n++){var r=e[n],a=r.selector,i=r.style||r.css,o=Object.keys(i);t.selector(a);for(var s=0;s<o.length;s++){var l=o[s],u=i[l];t.css(l,u)}}return t},fromJson:function(e){var t=this;return t.resetToDefault(),t.appendFromJson(e),t},json:function(){for(var e=[],t=this.defaultLength;t<this.length;t++){for(var n=this[t],r=n.selector,a=n.properties,i={},o=0;o<a.length;o++){var s=a[o];i[s.name]=s.strValue}e.push({selector:r?r.toString():"core",style:i})}return e}},mu={appendFromString:function(e){var t,n,r,a=this,i=""+e;function o(){i=i.length>t.length?i.substr(t.length):""}function s(){n=n.length>r.length?n.substr(r.length):""}for(i=i.replace(/[/][*](\s|.)+?[*][/]/g,"");;){if(i.match(/^\s*$/))break;var l=i.match(/^\s*((?:.|\s)+?)\s*\{((?:.|\s)+?)\}/);if(!l){it("Halting stylesheet parsing: String stylesheet contains more to parse but no selector and block found in: "+i);break}t=l[0];var u=l[1];if("core"!==u)if(new os(u).invalid){it("Skipping parsing of block: Invalid selector found in string stylesheet: "+u),o();continue}var c=l[2],d=!1;n=c;for(var h=[];;){if(n.match(/^\s*$/))break;var f=n.match(/^\s*(.+?)\s*:\s*(.+?)(?:\s*;|\s*$)/);if(!f){it("Skipping parsing of block: Invalid formatting of style property and value definitions found in:"+c),d=!0;break}r=f[0];var p=f[1],g=f[2];if(this.properties[p])a.parse(p,g)?(h.push({name:p,val:g}),s()):(it("Skipping property: Invalid property definition in: "+r),s());else it("Skipping property: Invalid property name in: "+r),s()}if(d){o();break}a.selector(u);for(var v=0;v<h.length;v++){var y=h[v];a.css(y.name,y.val)}o()}return a},fromString:function(e){var t=this;return t.resetToDefault(),t.appendFromString(e),t}},bu={};!function(){var e=de,t=fe,n=ge,r=function(e){return"^"+e+"\\s*\\(\\s*([\\w\\.]+)\\s*\\)$"},a=function(r){var a=e+"|\\w+|"+t+"|"+n+"|\\#[0-9a-fA-F]{3}|\\#[0-9a-fA-F]{6}";return"^"+r+"\\s*\\(([\\w\\.]+)\\s*\\,\\s*("+e+")\\s*\\,\\s*("+e+")\\s*,\\s*("+a+")\\s*\\,\\s*("+a+")\\)$"},i=["^url\\s*\\(\\s*['\"]?(.+?)['\"]?\\s*\\)$","^(none)$","^(.+)$"];bu.types={time:{number:!0,min:0,units:"s|ms",implicitUnits:"ms"},percent:{number:!0,min:0,max:100,units:"%",implicitUnits:"%"},percentages:{number:!0,min:0,max:100,units:"%",implicitUnits:"%",multiple:!0},zeroOneNumber:{number:!0,min:0,max:1,unitless:!0},zeroOneNumbers:{number:!0,min:0,max:1,unitless:!0,multiple:!0},nOneOneNumber:{number:!0,min:-1,max:1,unitless:!0},nonNegativeInt:{number:!0,min:0,integer:!0,unitless:!0},nonNegativeNumber:{number:!0,min:0,unitless:!0},position:{enums:["parent","origin"]},nodeSize:{number:!0,min:0,enums:["label"]},number:{number:!0,unitless:!0},numbers:{number:!0,unitless:!0,multiple:!0},positiveNumber:{number:!0,unitless:!0,min:0,strictMin:!0},size:{number:!0,min:0},bidirectionalSize:{number:!0},bidirectionalSizeMaybePercent:{number:!0,allowPercent:!0},bidirectionalSizes:{number:!0,multiple:!0},sizeMaybePercent:{number:!0,min:0,allowPercent:!0},axisDirection:{enums:["horizontal","leftward","rightward","vertical","upward","downward","auto"]},axisDirectionExplicit:{enums:["leftward","rightward","upward","downward"]},axisDirectionPrimary:{enums:["horizontal","vertical"]},paddingRelativeTo:{enums:["width","height","average","min","max"]},bgWH:{number:!0,min:0,allowPercent:!0,enums:["auto"],multiple:!0},bgPos:{number:!0,allowPercent:!0,multiple:!0},bgRelativeTo:{enums:["inner","include-padding"],multiple:!0},bgRepeat:{enums:["repeat","repeat-x","repeat-y","no-repeat"],multiple:!0},bgFit:{enums:["none","contain","cover"],multiple:!0},bgCrossOrigin:{enums:["anonymous","use-credentials","null"],multiple:!0},bgClip:{enums:["none","node"],multiple:!0},bgContainment:{enums:["inside","over"],multiple:!0},boxSelection:{enums:["contain","overlap","none"]},color:{color:!0},colors:{color:!0,multiple:!0},fill:{enums:["solid","linear-gradient","radial-gradient"]},bool:{enums:["yes","no"]},bools:{enums:["yes","no"],multiple:!0},lineStyle:{enums:["solid","dotted","dashed"]},lineCap:{enums:["butt","round","square"]},linePosition:{enums:["center","inside","outside"]},lineJoin:{enums:["round","bevel","miter"]},borderStyle:{enums:["solid","dotted","dashed","double"]},curveStyle:{enums:["bezier","unbundled-bezier","haystack","segments","straight","straight-triangle","taxi","round-segments","round-taxi"]},radiusType:{enums:["arc-radius","influence-radius"],multiple:!0},fontFamily:{regex:'^([\\w- \\"]+(?:\\s*,\\s*[\\w- \\"]+)*)$'},fontStyle:{enums:["italic","normal","oblique"]},fontWeight:{enums:["normal","bold","bolder","lighter","100","200","300","400","500","600","800","900",100,200,300,400,500,600,700,800,900]},textDecoration:{enums:["none","underline","overline","line-through"]},textTransform:{enums:["none","uppercase","lowercase"]},textWrap:{enums:["none","wrap","ellipsis"]},textOverflowWrap:{enums:["whitespace","anywhere"]},textBackgroundShape:{enums:["rectangle","roundrectangle","round-rectangle","circle"]},nodeShape:{enums:["rectangle","roundrectangle","round-rectangle","cutrectangle","cut-rectangle","bottomroundrectangle","bottom-round-rectangle","barrel","ellipse","triangle","round-triangle","square","pentagon","round-pentagon","hexagon","round-hexagon","concavehexagon","concave-hexagon","heptagon","round-heptagon","octagon","round-octagon","tag","round-tag","star","diamond","round-diamond","vee","rhomboid","right-rhomboid","polygon"]},overlayShape:{enums:["roundrectangle","round-rectangle","ellipse"]},cornerRadius:{number:!0,min:0,units:"px|em",implicitUnits:"px",enums:["auto"]},compoundIncludeLabels:{enums:["include","exclude"]},arrowShape:{enums:["tee","triangle","triangle-tee","circle-triangle","triangle-cross","triangle-backcurve","vee","square","circle","diamond","chevron","none"]},arrowFill:{enums:["filled","hollow"]},arrowWidth:{number:!0,units:"%|px|em",implicitUnits:"px",enums:["match-line"]},display:{enums:["element","none"]},visibility:{enums:["hidden","visible"]},zCompoundDepth:{enums:["bottom","orphan","auto","top"]},zIndexCompare:{enums:["auto","manual"]},valign:{enums:["top","top-inside","center","bottom","bottom-inside"]},halign:{enums:["left","left-inside","center","right","right-inside"]},justification:{enums:["left","center","right","auto"]},textMetrics:{enums:["font","glyph"]},text:{string:!0},data:{mapping:!0,regex:r("data")},layoutData:{mapping:!0,regex:r("layoutData")},scratch:{mapping:!0,regex:r("scratch")},mapData:{mapping:!0,regex:a("mapData")},mapLayoutData:{mapping:!0,regex:a("mapLayoutData")},mapScratch:{mapping:!0,regex:a("mapScratch")},fn:{mapping:!0,fn:!0},url:{regexes:i,singleRegexMatchValue:!0},urls:{regexes:i,singleRegexMatchValue:!0,multiple:!0},propList:{propList:!0},angle:{number:!0,units:"deg|rad",implicitUnits:"rad"},textRotation:{number:!0,units:"deg|rad",implicitUnits:"rad",enums:["none","autorotate"]},polygonPointList:{number:!0,multiple:!0,evenMultiple:!0,min:-1,max:1,unitless:!0},edgeDistances:{enums:["intersection","node-position","endpoints"]},edgeEndpoint:{number:!0,multiple:!0,units:"%|px|em|deg|rad",implicitUnits:"px",enums:["inside-to-node","outside-to-node","outside-to-node-or-label","outside-to-line","outside-to-line-or-label"],singleEnum:!0,validate:function(e,t){switch(e.length){case 2:return"deg"!==t[0]&&"rad"!==t[0]&&"deg"!==t[1]&&"rad"!==t[1];case 1:return W(e[0])||"deg"===t[0]||"rad"===t[0];default:return!1}}},easing:{regexes:["^(spring)\\s*\\(\\s*("+e+")\\s*,\\s*("+e+")\\s*\\)$","^(cubic-bezier)\\s*\\(\\s*("+e+")\\s*,\\s*("+e+")\\s*,\\s*("+e+")\\s*,\\s*("+e+")\\s*\\)$"],enums:["linear","ease","ease-in","ease-out","ease-in-out","ease-in-sine","ease-out-sine","ease-in-out-sine","ease-in-quad","ease-out-quad","ease-in-out-quad","ease-in-cubic","ease-out-cubic","ease-in-out-cubic","ease-in-quart","ease-out-quart","ease-in-out-quart","ease-in-quint","ease-out-quint","ease-in-out-quint","ease-in-expo","ease-out-expo","ease-in-out-expo","ease-in-circ","ease-out-circ","ease-in-out-circ"]},gradientDirection:{enums:["to-bottom","to-top","to-left","to-right","to-bottom-right","to-bottom-left","to-top-right","to-top-left","to-right-bottom","to-left-bottom","to-right-top","to-left-top"]},boundsExpansion:{number:!0,multiple:!0,min:0,validate:function(e){var t=e.length;return 1===t||2===t||4===t}}};var o={zeroNonZero:function(e,t){return(null==e||null==t)&&e!==t||(0==e&&0!=t||0!=e&&0==t)},any:function(e,t){return e!=t},emptyNonEmpty:function(e,t){var n=re(e),r=re(t);return n&&!r||!n&&r}},s=bu.types,l=[{name:"label",type:s.text,triggersBounds:o.any,triggersZOrder:o.emptyNonEmpty},{name:"text-rotation",type:s.textRotation,triggersBounds:o.any},{name:"text-margin-x",type:s.bidirectionalSize,triggersBounds:o.any},{name:"text-margin-y",type:s.bidirectionalSize,triggersBounds:o.any}],u=[{name:"source-label",type:s.text,triggersBounds:o.any},{name:"source-text-rotation",type:s.textRotation,triggersBounds:o.any},{name:"source-text-margin-x",type:s.bidirectionalSize,triggersBounds:o.any},{name:"source-text-margin-y",type:s.bidirectionalSize,triggersBounds:o.any},{name:"source-text-offset",type:s.size,triggersBounds:o.any}],c=[{name:"target-label",type:s.text,triggersBounds:o.any},{name:"target-text-rotation",type:s.textRotation,triggersBounds:o.any},{name:"target-text-margin-x",type:s.bidirectionalSize,triggersBounds:o.any},{name:"target-text-margin-y",type:s.bidirectionalSize,triggersBounds:o.any},{name:"target-text-offset",type:s.size,triggersBounds:o.any}],d=[{name:"font-family",type:s.fontFamily,triggersBounds:o.any},{name:"font-style",type:s.fontStyle,triggersBounds:o.any},{name:"font-weight",type:s.fontWeight,triggersBounds:o.any},{name:"font-size",type:s.size,triggersBounds:o.any},{name:"text-transform",type:s.textTransform,triggersBounds:o.any},{name:"text-wrap",type:s.textWrap,triggersBounds:o.any},{name:"text-overflow-wrap",type:s.textOverflowWrap,triggersBounds:o.any},{name:"text-max-width",type:s.size,triggersBounds:o.any},{name:"text-outline-width",type:s.size,triggersBounds:o.any},{name:"line-height",type:s.positiveNumber,triggersBounds:o.any}],h=[{name:"text-valign",type:s.valign,triggersBounds:o.any},{name:"text-halign",type:s.halign,triggersBounds:o.any},{name:"color",type:s.color},{name:"text-outline-color",type:s.color},{name:"text-outline-opacity",type:s.zeroOneNumber},{name:"text-background-color",type:s.color},{name:"text-background-opacity",type:s.zeroOneNumber},{name:"text-background-padding",type:s.size,triggersBounds:o.any},{name:"text-border-opacity",type:s.zeroOneNumber},{name:"text-border-color",type:s.color},{name:"text-border-width",type:s.size,triggersBounds:o.any},{name:"text-border-style",type:s.borderStyle,triggersBounds:o.any},{name:"text-background-shape",type:s.textBackgroundShape,triggersBounds:o.any},{name:"text-justification",type:s.justification},{name:"text-metrics",type:s.textMetrics},{name:"box-select-labels",type:s.bool,triggersBounds:o.any}],f=[{name:"events",type:s.bool,triggersZOrder:o.any},{name:"text-events",type:s.bool,triggersZOrder:o.any},{name:"box-selection",type:s.boxSelection,triggersZOrder:o.any}],p=[{name:"display",type:s.display,triggersZOrder:o.any,triggersBounds:o.any,triggersBoundsOfConnectedEdges:o.any,triggersBoundsOfParallelEdges:function(e,t,n){return e!==t&&"bezier"===n.pstyle("curve-style").value}},{name:"visibility",type:s.visibility,triggersZOrder:o.any},{name:"opacity",type:s.zeroOneNumber,triggersZOrder:o.zeroNonZero},{name:"text-opacity",type:s.zeroOneNumber},{name:"min-zoomed-font-size",type:s.size},{name:"z-compound-depth",type:s.zCompoundDepth,triggersZOrder:o.any},{name:"z-index-compare",type:s.zIndexCompare,triggersZOrder:o.any},{name:"z-index",type:s.number,triggersZOrder:o.any}],g=[{name:"overlay-padding",type:s.size,triggersBounds:o.any},{name:"overlay-color",type:s.color},{name:"overlay-opacity",type:s.zeroOneNumber,triggersBounds:o.zeroNonZero},{name:"overlay-shape",type:s.overlayShape,triggersBounds:o.any},{name:"overlay-corner-radius",type:s.cornerRadius}],v=[{name:"underlay-padding",type:s.size,triggersBounds:o.any},{name:"underlay-color",type:s.color},{name:"underlay-opacity",type:s.zeroOneNumber,triggersBounds:o.zeroNonZero},{name:"underlay-shape",type:s.overlayShape,triggersBounds:o.any},{name:"underlay-corner-radius",type:s.cornerRadius}],y=[{name:"transition-property",type:s.propList},{name:"transition-duration",type:s.time},{name:"transition-delay",type:s.time},{name:"transition-timing-function",type:s.easing}],m=function(e,t){return"label"===t.value?-e.poolIndex():t.pfValue},b=[{name:"height",type:s.nodeSize,triggersBounds:o.any,hashOverride:m},{name:"width",type:s.nodeSize,triggersBounds:o.any,hashOverride:m},{name:"shape",type:s.nodeShape,triggersBounds:o.any},{name:"shape-polygon-points",type:s.polygonPointList,triggersBounds:o.any},{name:"corner-radius",type:s.cornerRadius},{name:"background-color",type:s.color},{name:"background-fill",type:s.fill},{name:"background-opacity",type:s.zeroOneNumber},{name:"background-blacken",type:s.nOneOneNumber},{name:"background-gradient-stop-colors",type:s.colors},{name:"background-gradient-stop-positions",type:s.percentages},{name:"background-gradient-direction",type:s.gradientDirection},{name:"padding",type:s.sizeMaybePercent,triggersBounds:o.any},{name:"padding-relative-to",type:s.paddingRelativeTo,triggersBounds:o.any},{name:"bounds-expansion",type:s.boundsExpansion,triggersBounds:o.any}],x=[{name:"border-color",type:s.color},{name:"border-opacity",type:s.zeroOneNumber},{name:"border-width",type:s.size,triggersBounds:o.any},{name:"border-style",type:s.borderStyle},{name:"border-cap",type:s.lineCap},{name:"border-join",type:s.lineJoin},{name:"border-dash-pattern",type:s.numbers},{name:"border-dash-offset",type:s.number},{name:"border-position",type:s.linePosition}],w=[{name:"outline-color",type:s.color},{name:"outline-opacity",type:s.zeroOneNumber},{name:"outline-width",type:s.size,triggersBounds:o.any},{name:"outline-style",type:s.borderStyle},{name:"outline-offset",type:s.size,triggersBounds:o.any}],E=[{name:"background-image",type:s.urls},{name:"background-image-crossorigin",type:s.bgCrossOrigin},{name:"background-image-opacity",type:s.zeroOneNumbers},{name:"background-image-containment",type:s.bgContainment},{name:"background-image-smoothing",type:s.bools},{name:"background-position-x",type:s.bgPos},{name:"background-position-y",type:s.bgPos},{name:"background-width-relative-to",type:s.bgRelativeTo},{name:"background-height-relative-to",type:s.bgRelativeTo},{name:"background-repeat",type:s.bgRepeat},{name:"background-fit",type:s.bgFit},{name:"background-clip",type:s.bgClip},{name:"background-width",type:s.bgWH},{name:"background-height",type:s.bgWH},{name:"background-offset-x",type:s.bgPos},{name:"background-offset-y",type:s.bgPos}],k=[{name:"position",type:s.position,triggersBounds:o.any},{name:"compound-sizing-wrt-labels",type:s.compoundIncludeLabels,triggersBounds:o.any},{name:"min-width",type:s.size,triggersBounds:o.any},{name:"min-width-bias-left",type:s.sizeMaybePercent,triggersBounds:o.any},{name:"min-width-bias-right",type:s.sizeMaybePercent,triggersBounds:o.any},{name:"min-height",type:s.size,triggersBounds:o.any},{name:"min-height-bias-top",type:s.sizeMaybePercent,triggersBounds:o.any},{name:"min-height-bias-bottom",type:s.sizeMaybePercent,triggersBounds:o.any}],T=[{name:"line-style",type:s.lineStyle},{name:"line-color",type:s.color},{name:"line-fill",type:s.fill},{name:"line-cap",type:s.lineCap},{name:"line-opacity",type:s.zeroOneNumber},{name:"line-dash-pattern",type:s.numbers},{name:"line-dash-offset",type:s.number},{name:"line-outline-width",type:s.size},{name:"line-outline-color",type:s.color},{name:"line-gradient-stop-colors",type:s.colors},{name:"line-gradient-stop-positions",type:s.percentages},{name:"curve-style",type:s.curveStyle,triggersBounds:o.any,triggersBoundsOfParallelEdges:function(e,t){return e!==t&&("bezier"===e||"bezier"===t)}},{name:"haystack-radius",type:s.zeroOneNumber,triggersBounds:o.any},{name:"source-endpoint",type:s.edgeEndpoint,triggersBounds:o.any},{name:"target-endpoint",type:s.edgeEndpoint,triggersBounds:o.any},{name:"control-point-step-size",type:s.size,triggersBounds:o.any},{name:"control-point-distances",type:s.bidirectionalSizes,triggersBounds:o.any},{name:"control-point-weights",type:s.numbers,triggersBounds:o.any},{name:"segment-distances",type:s.bidirectionalSizes,triggersBounds:o.any},{name:"segment-weights",type:s.numbers,triggersBounds:o.any},{name:"segment-radii",type:s.numbers,triggersBounds:o.any},{name:"radius-type",type:s.radiusType,triggersBounds:o.any},{name:"taxi-turn",type:s.bidirectionalSizeMaybePercent,triggersBounds:o.any},{name:"taxi-turn-min-distance",type:s.size,triggersBounds:o.any},{name:"taxi-direction",type:s.axisDirection,triggersBounds:o.any},{name:"taxi-radius",type:s.number,triggersBounds:o.any},{name:"edge-distances",type:s.edgeDistances,triggersBounds:o.any},{name:"arrow-scale",type:s.positiveNumber,triggersBounds:o.any},{name:"loop-direction",type:s.angle,triggersBounds:o.any},{name:"loop-sweep",type:s.angle,triggersBounds:o.any},{name:"source-distance-from-node",type:s.size,triggersBounds:o.any},{name:"target-distance-from-node",type:s.size,triggersBounds:o.any}],C=[{name:"ghost",type:s.bool,triggersBounds:o.any},{name:"ghost-offset-x",type:s.bidirectionalSize,triggersBounds:o.any},{name:"ghost-offset-y",type:s.bidirectionalSize,triggersBounds:o.any},{name:"ghost-opacity",type:s.zeroOneNumber}],P=[{name:"selection-box-color",type:s.color},{name:"selection-box-opacity",type:s.zeroOneNumber},{name:"selection-box-border-color",type:s.color},{name:"selection-box-border-width",type:s.size},{name:"active-bg-color",type:s.color},{name:"active-bg-opacity",type:s.zeroOneNumber},{name:"active-bg-size",type:s.size},{name:"outside-texture-bg-color",type:s.color},{name:"outside-texture-bg-opacity",type:s.zeroOneNumber}],S=[];bu.pieBackgroundN=16,S.push({name:"pie-size",type:s.sizeMaybePercent}),S.push({name:"pie-hole",type:s.sizeMaybePercent}),S.push({name:"pie-start-angle",type:s.angle});for(var B=1;B<=bu.pieBackgroundN;B++)S.push({name:"pie-"+B+"-background-color",type:s.color}),S.push({name:"pie-"+B+"-background-size",type:s.percent}),S.push({name:"pie-"+B+"-background-opacity",type:s.zeroOneNumber});var D=[];bu.stripeBackgroundN=16,D.push({name:"stripe-size",type:s.sizeMaybePercent}),D.push({name:"stripe-direction",type:s.axisDirectionPrimary});for(var _=1;_<=bu.stripeBackgroundN;_++)D.push({name:"stripe-"+_+"-background-color",type:s.color}),D.push({name:"stripe-"+_+"-background-size",type:s.percent}),D.push({name:"stripe-"+_+"-background-opacity",type:s.zeroOneNumber});var A=[],M=bu.arrowPrefixes=["source","mid-source","target","mid-target"];[{name:"arrow-shape",type:s.arrowShape,triggersBounds:o.any},{name:"arrow-color",type:s.color},{name:"arrow-fill",type:s.arrowFill},{name:"arrow-width",type:s.arrowWidth}].forEach((function(e){M.forEach((function(t){var n=t+"-"+e.name,r=e.type,a=e.triggersBounds;A.push({name:n,type:r,triggersBounds:a})}))}),{});var R=bu.properties=[].concat(f,y,p,g,v,C,h,d,l,u,c,b,x,w,E,S,D,k,T,A,P),I=bu.propertyGroups={behavior:f,transition:y,visibility:p,overlay:g,underlay:v,ghost:C,commonLabel:h,labelDimensions:d,mainLabel:l,sourceLabel:u,targetLabel:c,nodeBody:b,nodeBorder:x,nodeOutline:w,backgroundImage:E,pie:S,stripe:D,compound:k,edgeLine:T,edgeArrow:A,core:P},N=bu.propertyGroupNames={};(bu.propertyGroupKeys=Object.keys(I)).forEach((function(e){N[e]=I[e].map((function(e){return e.name})),I[e].forEach((function(t){return t.groupKey=e}))}));var L=bu.aliases=[{name:"content",pointsTo:"label"},{name:"control-point-distance",pointsTo:"control-point-distances"},{name:"control-point-weight",pointsTo:"control-point-weights"},{name:"segment-distance",pointsTo:"segment-distances"},{name:"segment-weight",pointsTo:"segment-weights"},{name:"segment-radius",pointsTo:"segment-radii"},{name:"edge-text-rotation",pointsTo:"text-rotation"},{name:"padding-left",pointsTo:"padding"},{name:"padding-right",pointsTo:"padding"},{name:"padding-top",pointsTo:"padding"},{name:"padding-bottom",pointsTo:"padding"}];bu.propertyNames=R.map((function(e){return e.name}));for(var z=0;z<R.length;z++){var O=R[z];R[O.name]=O}for(var V=0;V<L.length;V++){var F=L[V],X=R[F.pointsTo],j={name:F.name,alias:!0,pointsTo:X};R.push(j),R[F.name]=j}}(),bu.getDefaultProperty=function(e){return this.getDefaultProperties()[e]},bu.getDefaultProperties=function(){var e=this._private;if(null!=e.defaultProperties)return e.defaultProperties;for(var t=ye({"selection-box-color":"#ddd","selection-box-opacity":.65,"selection-box-border-color":"#aaa","selection-box-border-width":1,"active-bg-color":"black","active-bg-opacity":.15,"active-bg-size":30,"outside-texture-bg-color":"#000","outside-texture-bg-opacity":.125,events:"yes","text-events":"no","text-valign":"top","text-halign":"center","text-justification":"auto","line-height":1,color:"#000","box-selection":"contain","text-outline-color":"#000","text-outline-width":0,"text-outline-opacity":1,"text-opacity":1,"text-decoration":"none","text-transform":"none","text-wrap":"none","text-overflow-wrap":"whitespace","text-max-width":9999,"text-background-color":"#000","text-background-opacity":0,"text-background-shape":"rectangle","text-background-padding":0,"text-border-opacity":0,"text-border-width":0,"text-border-style":"solid","text-border-color":"#000","font-family":"Helvetica Neue, Helvetica, sans-serif","font-style":"normal","font-weight":"normal","font-size":16,"min-zoomed-font-size":0,"text-rotation":"none","source-text-rotation":"none","target-text-rotation":"none",visibility:"visible",display:"element",opacity:1,"z-compound-depth":"auto","z-index-compare":"auto","z-index":0,label:"","text-margin-x":0,"text-margin-y":0,"source-label":"","source-text-offset":0,"source-text-margin-x":0,"source-text-margin-y":0,"target-label":"","target-text-offset":0,"target-text-margin-x":0,"target-text-margin-y":0,"overlay-opacity":0,"overlay-color":"#000","overlay-padding":10,"overlay-shape":"round-rectangle","overlay-corner-radius":"auto","underlay-opacity":0,"underlay-color":"#000","underlay-padding":10,"underlay-shape":"round-rectangle","underlay-corner-radius":"auto","text-metrics":"font","transition-property":"none","transition-duration":0,"transition-delay":0,"transition-timing-function":"linear","box-select-labels":"no","background-blacken":0,"background-color":"#999","background-fill":"solid","background-opacity":1,"background-image":"none","background-image-crossorigin":"anonymous","background-image-opacity":1,"background-image-containment":"inside","background-image-smoothing":"yes","background-position-x":"50%","background-position-y":"50%","background-offset-x":0,"background-offset-y":0,"background-width-relative-to":"include-padding","background-height-relative-to":"include-padding","background-repeat":"no-repeat","background-fit":"none","background-clip":"node","background-width":"auto","background-height":"auto","border-color":"#000","border-opacity":1,"border-width":0,"border-style":"solid","border-dash-pattern":[4,2],"border-dash-offset":0,"border-cap":"butt","border-join":"miter","border-position":"center","outline-color":"#999","outline-opacity":1,"outline-width":0,"outline-offset":0,"outline-style":"solid",height:30,width:30,shape:"ellipse","shape-polygon-points":"-1, -1,   1, -1,   1, 1,   -1, 1","corner-radius":"auto","bounds-expansion":0,"background-gradient-direction":"to-bottom","background-gradient-stop-colors":"#999","background-gradient-stop-positions":"0%",ghost:"no","ghost-offset-y":0,"ghost-offset-x":0,"ghost-opacity":0,padding:0,"padding-relative-to":"width",position:"origin","compound-sizing-wrt-labels":"include","min-width":0,"min-width-bias-left":0,"min-width-bias-right":0,"min-height":0,"min-height-bias-top":0,"min-height-bias-bottom":0},{"pie-size":"100%","pie-hole":0,"pie-start-angle":"0deg"},[{name:"pie-{{i}}-background-color",value:"black"},{name:"pie-{{i}}-background-size",value:"0%"},{name:"pie-{{i}}-background-opacity",value:1}].reduce((function(e,t){for(var n=1;n<=bu.pieBackgroundN;n++){var r=t.name.replace("{{i}}",n),a=t.value;e[r]=a}return e}),{}),{"stripe-size":"100%","stripe-direction":"horizontal"},[{name:"stripe-{{i}}-background-color",value:"black"},{name:"stripe-{{i}}-background-size",value:"0%"},{name:"stripe-{{i}}-background-opacity",value:1}].reduce((function(e,t){for(var n=1;n<=bu.stripeBackgroundN;n++){var r=t.name.replace("{{i}}",n),a=t.value;e[r]=a}return e}),{}),{"line-style":"solid","line-color":"#999","line-fill":"solid","line-cap":"butt","line-opacity":1,"line-outline-width":0,"line-outline-color":"#000","line-gradient-stop-colors":"#999","line-gradient-stop-positions":"0%","control-point-step-size":40,"control-point-weights":.5,"segment-weights":.5,"segment-distances":20,"segment-radii":15,"radius-type":"arc-radius","taxi-turn":"50%","taxi-radius":15,"taxi-turn-min-distance":10,"taxi-direction":"auto","edge-distances":"intersection","curve-style":"haystack","haystack-radius":0,"arrow-scale":1,"loop-direction":"-45deg","loop-sweep":"-90deg","source-distance-from-node":0,"target-distance-from-node":0,"source-endpoint":"outside-to-node","target-endpoint":"outside-to-node","line-dash-pattern":[6,3],"line-dash-offset":0},[{name:"arrow-shape",value:"none"},{name:"arrow-color",value:"#999"},{name:"arrow-fill",value:"filled"},{name:"arrow-width",value:1}].reduce((function(e,t){return bu.arrowPrefixes.forEach((function(n){var r=n+"-"+t.name,a=t.value;e[r]=a})),e}),{})),n={},r=0;r<this.properties.length;r++){var a=this.properties[r];if(!a.pointsTo){var i=a.name,o=t[i],s=this.parse(i,o);n[i]=s}}return e.defaultProperties=n,e.defaultProperties},bu.addDefaultStylesheet=function(){this.selector(":parent").css({shape:"rectangle",padding:10,"background-color":"#eee","border-color":"#ccc","border-width":1}).selector("edge").css({width:3}).selector(":loop").css({"curve-style":"bezier"}).selector("edge:compound").css({"curve-style":"bezier","source-endpoint":"outside-to-line","target-endpoint":"outside-to-line"}).selector(":selected").css({"background-color":"#0169D9","line-color":"#0169D9","source-arrow-color":"#0169D9","target-arrow-color":"#0169D9","mid-source-arrow-color":"#0169D9","mid-target-arrow-color":"#0169D9"}).selector(":parent:selected").css({"background-color":"#CCE1F9","border-color":"#aec8e5"}).selector(":active").css({"overlay-color":"black","overlay-padding":10,"overlay-opacity":.25}),this.defaultLength=this.length};var xu={parse:function(e,t,n,r){var a=this;if(U(t))return a.parseImplWarn(e,t,n,r);var i,o=Ue(e,""+t,n?"t":"f","mapping"===r||!0===r||!1===r||null==r?"dontcare":r),s=a.propCache=a.propCache||[];return(i=s[o])||(i=s[o]=a.parseImplWarn(e,t,n,r)),(n||"mapping"===r)&&(i=ot(i))&&(i.value=ot(i.value)),i},parseImplWarn:function(e,t,n,r){var a=this.parseImpl(e,t,n,r);return a||null==t||it("The style property `".concat(e,": ").concat(t,"` is invalid")),!a||"width"!==a.name&&"height"!==a.name||"label"!==t||it("The style value of `label` is deprecated for `"+a.name+"`"),a}};xu.parseImpl=function(e,t,n,r){var a=this;e=oe(e);var i=a.properties[e],o=t,s=a.types;if(!i)return null;if(void 0===t)return null;i.alias&&(i=i.pointsTo,e=i.name);var l=W(t);l&&(t=t.trim());var u,c,d=i.type;if(!d)return null;if(n&&(""===t||null===t))return{name:e,value:t,bypass:!0,deleteBypass:!0};if(U(t))return{name:e,value:t,strValue:"fn",mapped:s.fn,bypass:n};if(!l||r||t.length<7||"a"!==t[1]);else{if(t.length>=7&&"d"===t[0]&&(u=new RegExp(s.data.regex).exec(t))){if(n)return!1;var h=s.data;return{name:e,value:u,strValue:""+t,mapped:h,field:u[1],bypass:n}}if(t.length>=10&&"m"===t[0]&&(c=new RegExp(s.mapData.regex).exec(t))){if(n)return!1;if(d.multiple)return!1;var f=s.mapData;if(!d.color&&!d.number)return!1;var p=this.parse(e,c[4]);if(!p||p.mapped)return!1;var g=this.parse(e,c[5]);if(!g||g.mapped)return!1;if(p.pfValue===g.pfValue||p.strValue===g.strValue)return it("`"+e+": "+t+"` is not a valid mapper because the output range is zero; converting to `"+e+": "+p.strValue+"`"),this.parse(e,p.strValue);if(d.color){var v=p.value,y=g.value;if(!(v[0]!==y[0]||v[1]!==y[1]||v[2]!==y[2]||v[3]!==y[3]&&(null!=v[3]&&1!==v[3]||null!=y[3]&&1!==y[3])))return!1}return{name:e,value:c,strValue:""+t,mapped:f,field:c[1],fieldMin:parseFloat(c[2]),fieldMax:parseFloat(c[3]),valueMin:p.value,valueMax:g.value,bypass:n}}}if(d.multiple&&"multiple"!==r){var m;if(m=l?t.split(/\s+/):H(t)?t:[t],d.evenMultiple&&m.length%2!=0)return null;for(var b=[],x=[],w=[],E="",k=!1,T=0;T<m.length;T++){var C=a.parse(e,m[T],n,"multiple");k=k||W(C.value),b.push(C.value),w.push(null!=C.pfValue?C.pfValue:C.value),x.push(C.units),E+=(T>0?" ":"")+C.strValue}return d.validate&&!d.validate(b,x)?null:d.singleEnum&&k?1===b.length&&W(b[0])?{name:e,value:b[0],strValue:b[0],bypass:n}:null:{name:e,value:b,pfValue:w,strValue:E,bypass:n,units:x}}var P,S=function(){for(var r=0;r<d.enums.length;r++){if(d.enums[r]===t)return{name:e,value:t,strValue:""+t,bypass:n}}return null};if(d.number){var B,D="px";if(d.units&&(B=d.units),d.implicitUnits&&(D=d.implicitUnits),!d.unitless)if(l){var _="px|em"+(d.allowPercent?"|\\%":"");B&&(_=B);var A=t.match("^("+de+")("+_+")?$");A&&(t=A[1],B=A[2]||D)}else B&&!d.implicitUnits||(B=D);if(t=parseFloat(t),isNaN(t)&&void 0===d.enums)return null;if(isNaN(t)&&void 0!==d.enums)return t=o,S();if(d.integer&&!Z(t))return null;if(void 0!==d.min&&(t<d.min||d.strictMin&&t===d.min)||void 0!==d.max&&(t>d.max||d.strictMax&&t===d.max))return null;var M={name:e,value:t,strValue:""+t+(B||""),units:B,bypass:n};return d.unitless||"px"!==B&&"em"!==B?M.pfValue=t:M.pfValue="px"!==B&&B?this.getEmSizeInPixels()*t:t,"ms"!==B&&"s"!==B||(M.pfValue="ms"===B?t:1e3*t),"deg"!==B&&"rad"!==B||(M.pfValue="rad"===B?t:(P=t,Math.PI*P/180)),"%"===B&&(M.pfValue=t/100),M}if(d.propList){var R=[],I=""+t;if("none"===I);else{for(var N=I.split(/\s*,\s*|\s+/),L=0;L<N.length;L++){var z=N[L].trim();a.properties[z]?R.push(z):it("`"+z+"` is not a valid property name")}if(0===R.length)return null}return{name:e,value:R,strValue:0===R.length?"none":R.join(" "),bypass:n}}if(d.color){var O=me(t);return O?{name:e,value:O,pfValue:O,strValue:"rgb("+O[0]+","+O[1]+","+O[2]+")",bypass:n}:null}if(d.regex||d.regexes){if(d.enums){var V=S();if(V)return V}for(var F=d.regexes?d.regexes:[d.regex],X=0;X<F.length;X++){var j=new RegExp(F[X]).exec(t);if(j)return{name:e,value:d.singleRegexMatchValue?j[1]:j,strValue:""+t,bypass:n}}return null}return d.string?{name:e,value:""+t,strValue:""+t,bypass:n}:d.enums?S():null};var wu=function(e){if(!(this instanceof wu))return new wu(e);te(e)?(this._private={cy:e,coreStyle:{}},this.length=0,this.resetToDefault()):rt("A style must have a core reference")},Eu=wu.prototype;Eu.instanceString=function(){return"style"},Eu.clear=function(){for(var e=this._private,t=e.cy.elements(),n=0;n<this.length;n++)this[n]=void 0;return this.length=0,e.contextStyles={},e.propDiffs={},this.cleanElements(t,!0),t.forEach((function(e){var t=e[0]._private;t.styleDirty=!0,t.appliedInitStyle=!1})),this},Eu.resetToDefault=function(){return this.clear(),this.addDefaultStylesheet(),this},Eu.core=function(e){return this._private.coreStyle[e]||this.getDefaultProperty(e)},Eu.selector=function(e){var t="core"===e?null:new os(e),n=this.length++;return this[n]={selector:t,properties:[],mappedProperties:[],index:n},this},Eu.css=function(){var e=arguments;if(1===e.length)for(var t=e[0],n=0;n<this.properties.length;n++){var r=this.properties[n],a=t[r.name];void 0===a&&(a=t[se(r.name)]),void 0!==a&&this.cssRule(r.name,a)}else 2===e.length&&this.cssRule(e[0],e[1]);return this},Eu.style=Eu.css,Eu.cssRule=function(e,t){var n=this.parse(e,t);if(n){var r=this.length-1;this[r].properties.push(n),this[r].properties[n.name]=n,n.name.match(/pie-(\d+)-background-size/)&&n.value&&(this._private.hasPie=!0),n.name.match(/stripe-(\d+)-background-size/)&&n.value&&(this._private.hasStripe=!0),n.mapped&&this[r].mappedProperties.push(n),!this[r].selector&&(this._private.coreStyle[n.name]=n)}return this},Eu.append=function(e){return ne(e)?e.appendToStyle(this):H(e)?this.appendFromJson(e):W(e)&&this.appendFromString(e),this},wu.fromJson=function(e,t){var n=new wu(e);return n.fromJson(t),n},wu.fromString=function(e,t){return new wu(e).fromString(t)},[hu,pu,gu,vu,yu,mu,bu,xu].forEach((function(e){ye(Eu,e)})),wu.types=Eu.types,wu.properties=Eu.properties,wu.propertyGroups=Eu.propertyGroups,wu.propertyGroupNames=Eu.propertyGroupNames,wu.propertyGroupKeys=Eu.propertyGroupKeys;var ku={style:function(e){e&&this.setStyle(e).update();return this._private.style},setStyle:function(e){var t=this._private;return ne(e)?t.style=e.generateStyle(this):H(e)?t.style=wu.fromJson(this,e):W(e)?t.style=wu.fromString(this,e):t.style=wu(this),t.style},updateStyle:function(){this.mutableElements().updateStyle()}},Tu={autolock:function(e){return void 0===e?this._private.autolock:(this._private.autolock=!!e,this)},autoungrabify:function(e){return void 0===e?this._private.autoungrabify:(this._private.autoungrabify=!!e,this)},autounselectify:function(e){return void 0===e?this._private.autounselectify:(this._private.autounselectify=!!e,this)},selectionType:function(e){var t=this._private;return null==t.selectionType&&(t.selectionType="single"),void 0===e?t.selectionType:("additive"!==e&&"single"!==e||(t.selectionType=e),this)},panningEnabled:function(e){return void 0===e?this._private.panningEnabled:(this._private.panningEnabled=!!e,this)},userPanningEnabled:function(e){return void 0===e?this._private.userPanningEnabled:(this._private.userPanningEnabled=!!e,this)},zoomingEnabled:function(e){return void 0===e?this._private.zoomingEnabled:(this._private.zoomingEnabled=!!e,this)},userZoomingEnabled:function(e){return void 0===e?this._private.userZoomingEnabled:(this._private.userZoomingEnabled=!!e,this)},boxSelectionEnabled:function(e){return void 0===e?this._private.boxSelectionEnabled:(this._private.boxSelectionEnabled=!!e,this)},pan:function(){var e,t,n,r,a,i=arguments,o=this._private.pan;switch(i.length){case 0:return o;case 1:if(W(i[0]))return o[e=i[0]];if(K(i[0])){if(!this._private.panningEnabled)return this;r=(n=i[0]).x,a=n.y,G(r)&&(o.x=r),G(a)&&(o.y=a),this.emit("pan viewport")}break;case 2:if(!this._private.panningEnabled)return this;t=i[1],"x"!==(e=i[0])&&"y"!==e||!G(t)||(o[e]=t),this.emit("pan viewport")}return this.notify("viewport"),this},panBy:function(e,t){var n,r,a,i,o,s=arguments,l=this._private.pan;if(!this._private.panningEnabled)return this;switch(s.length){case 1:K(e)&&(i=(a=s[0]).x,o=a.y,G(i)&&(l.x+=i),G(o)&&(l.y+=o),this.emit("pan viewport"));break;case 2:r=t,"x"!==(n=e)&&"y"!==n||!G(r)||(l[n]+=r),this.emit("pan viewport")}return this.notify("viewport"),this},gc:function(){this.notify("gc")},fit:function(e,t){var n=this.getFitViewport(e,t);if(n){var r=this._private;r.zoom=n.zoom,r.pan=n.pan,this.emit("pan zoom viewport"),this.notify("viewport")}return this},getFitViewport:function(e,t){if(G(e)&&void 0===t&&(t=e,e=void 0),this._private.panningEnabled&&this._private.zoomingEnabled){var n,r;if(W(e)){var a=e;e=this.$(a)}else if(K(r=e)&&G(r.x1)&&G(r.x2)&&G(r.y1)&&G(r.y2)){var i=e;(n={x1:i.x1,y1:i.y1,x2:i.x2,y2:i.y2}).w=n.x2-n.x1,n.h=n.y2-n.y1}else Q(e)||(e=this.mutableElements());if(!Q(e)||!e.empty()){n=n||e.boundingBox();var o,s=this.width(),l=this.height();if(t=G(t)?t:0,!isNaN(s)&&!isNaN(l)&&s>0&&l>0&&!isNaN(n.w)&&!isNaN(n.h)&&n.w>0&&n.h>0)return{zoom:o=(o=(o=Math.min((s-2*t)/n.w,(l-2*t)/n.h))>this._private.maxZoom?this._private.maxZoom:o)<this._private.minZoom?this._private.minZoom:o,pan:{x:(s-o*(n.x1+n.x2))/2,y:(l-o*(n.y1+n.y2))/2}}}}},zoomRange:function(e,t){var n=this._private;if(null==t){var r=e;e=r.min,t=r.max}return G(e)&&G(t)&&e<=t?(n.minZoom=e,n.maxZoom=t):G(e)&&void 0===t&&e<=n.maxZoom?n.minZoom=e:G(t)&&void 0===e&&t>=n.minZoom&&(n.maxZoom=t),this},minZoom:function(e){return void 0===e?this._private.minZoom:this.zoomRange({min:e})},maxZoom:function(e){return void 0===e?this._private.maxZoom:this.zoomRange({max:e})},getZoomedViewport:function(e){var t,n,r=this._private,a=r.pan,i=r.zoom,o=!1;if(r.zoomingEnabled||(o=!0),G(e)?n=e:K(e)&&(n=e.level,null!=e.position?t=jt(e.position,i,a):null!=e.renderedPosition&&(t=e.renderedPosition),null==t||r.panningEnabled||(o=!0)),n=(n=n>r.maxZoom?r.maxZoom:n)<r.minZoom?r.minZoom:n,o||!G(n)||n===i||null!=t&&(!G(t.x)||!G(t.y)))return null;if(null!=t){var s=a,l=i,u=n;return{zoomed:!0,panned:!0,zoom:u,pan:{x:-u/l*(t.x-s.x)+t.x,y:-u/l*(t.y-s.y)+t.y}}}return{zoomed:!0,panned:!1,zoom:n,pan:a}},zoom:function(e){if(void 0===e)return this._private.zoom;var t=this.getZoomedViewport(e),n=this._private;return null!=t&&t.zoomed?(n.zoom=t.zoom,t.panned&&(n.pan.x=t.pan.x,n.pan.y=t.pan.y),this.emit("zoom"+(t.panned?" pan":"")+" viewport"),this.notify("viewport"),this):this},viewport:function(e){var t=this._private,n=!0,r=!0,a=[],i=!1,o=!1;if(!e)return this;if(G(e.zoom)||(n=!1),K(e.pan)||(r=!1),!n&&!r)return this;if(n){var s=e.zoom;s<t.minZoom||s>t.maxZoom||!t.zoomingEnabled?i=!0:(t.zoom=s,a.push("zoom"))}if(r&&(!i||!e.cancelOnFailedZoom)&&t.panningEnabled){var l=e.pan;G(l.x)&&(t.pan.x=l.x,o=!1),G(l.y)&&(t.pan.y=l.y,o=!1),o||a.push("pan")}return a.length>0&&(a.push("viewport"),this.emit(a.join(" ")),this.notify("viewport")),this},center:function(e){var t=this.getCenterPan(e);return t&&(this._private.pan=t,this.emit("pan viewport"),this.notify("viewport")),this},getCenterPan:function(e,t){if(this._private.panningEnabled){if(W(e)){var n=e;e=this.mutableElements().filter(n)}else Q(e)||(e=this.mutableElements());if(0!==e.length){var r=e.boundingBox(),a=this.width(),i=this.height();return{x:(a-(t=void 0===t?this._private.zoom:t)*(r.x1+r.x2))/2,y:(i-t*(r.y1+r.y2))/2}}}},reset:function(){return this._private.panningEnabled&&this._private.zoomingEnabled?(this.viewport({pan:{x:0,y:0},zoom:1}),this):this},invalidateSize:function(){this._private.sizeCache=null},size:function(){var e,t,n=this._private,r=n.container,a=this;return n.sizeCache=n.sizeCache||(r?(e=a.window().getComputedStyle(r),t=function(t){return parseFloat(e.getPropertyValue(t))},{width:r.clientWidth-t("padding-left")-t("padding-right"),height:r.clientHeight-t("padding-top")-t("padding-bottom")}):{width:1,height:1})},width:function(){return this.size().width},height:function(){return this.size().height},extent:function(){var e=this._private.pan,t=this._private.zoom,n=this.renderedExtent(),r={x1:(n.x1-e.x)/t,x2:(n.x2-e.x)/t,y1:(n.y1-e.y)/t,y2:(n.y2-e.y)/t};return r.w=r.x2-r.x1,r.h=r.y2-r.y1,r},renderedExtent:function(){var e=this.width(),t=this.height();return{x1:0,y1:0,x2:e,y2:t,w:e,h:t}},multiClickDebounceTime:function(e){return e?(this._private.multiClickDebounceTime=e,this):this._private.multiClickDebounceTime}};Tu.centre=Tu.center,Tu.autolockNodes=Tu.autolock,Tu.autoungrabifyNodes=Tu.autoungrabify;var Cu={data:Eo.data({field:"data",bindingEvent:"data",allowBinding:!0,allowSetting:!0,settingEvent:"data",settingTriggersEvent:!0,triggerFnName:"trigger",allowGetting:!0,updateStyle:!0}),removeData:Eo.removeData({field:"data",event:"data",triggerFnName:"trigger",triggerEvent:!0,updateStyle:!0}),scratch:Eo.data({field:"scratch",bindingEvent:"scratch",allowBinding:!0,allowSetting:!0,settingEvent:"scratch",settingTriggersEvent:!0,triggerFnName:"trigger",allowGetting:!0,updateStyle:!0}),removeScratch:Eo.removeData({field:"scratch",event:"scratch",triggerFnName:"trigger",triggerEvent:!0,updateStyle:!0})};Cu.attr=Cu.data,Cu.removeAttr=Cu.removeData;var Pu=function(e){var t=this,n=(e=ye({},e)).container;n&&!$(n)&&$(n[0])&&(n=n[0]);var r=n?n._cyreg:null;(r=r||{})&&r.cy&&(r.cy.destroy(),r={});var a=r.readies=r.readies||[];n&&(n._cyreg=r),r.cy=t;var i=void 0!==c&&void 0!==n&&!e.headless,o=e;o.layout=ye({name:i?"grid":"null"},o.layout),o.renderer=ye({name:i?"canvas":"null"},o.renderer);var s=function(e,t,n){return void 0!==t?t:void 0!==n?n:e},l=this._private={container:n,ready:!1,options:o,elements:new jl(this),listeners:[],aniEles:new jl(this),data:o.data||{},scratch:{},layout:null,renderer:null,destroyed:!1,notificationsEnabled:!0,minZoom:1e-50,maxZoom:1e50,zoomingEnabled:s(!0,o.zoomingEnabled),userZoomingEnabled:s(!0,o.userZoomingEnabled),panningEnabled:s(!0,o.panningEnabled),userPanningEnabled:s(!0,o.userPanningEnabled),boxSelectionEnabled:s(!0,o.boxSelectionEnabled),autolock:s(!1,o.autolock,o.autolockNodes),autoungrabify:s(!1,o.autoungrabify,o.autoungrabifyNodes),autounselectify:s(!1,o.autounselectify),styleEnabled:void 0===o.styleEnabled?i:o.styleEnabled,zoom:G(o.zoom)?o.zoom:1,pan:{x:K(o.pan)&&G(o.pan.x)?o.pan.x:0,y:K(o.pan)&&G(o.pan.y)?o.pan.y:0},animation:{current:[],queue:[]},hasCompoundNodes:!1,multiClickDebounceTime:s(250,o.multiClickDebounceTime)};this.createEmitter(),this.selectionType(o.selectionType),this.zoomRange({min:o.minZoom,max:o.maxZoom});l.styleEnabled&&t.setStyle([]);var u=ye({},o,o.renderer);t.initRenderer(u);!function(e,t){if(e.some(ae))return Gr.all(e).then(t);t(e)}([o.style,o.elements],(function(e){var n=e[0],i=e[1];l.styleEnabled&&t.style().append(n),function(e,n,r){t.notifications(!1);var a=t.mutableElements();a.length>0&&a.remove(),null!=e&&(K(e)||H(e))&&t.add(e),t.one("layoutready",(function(e){t.notifications(!0),t.emit(e),t.one("load",n),t.emitAndNotify("load")})).one("layoutstop",(function(){t.one("done",r),t.emit("done")}));var i=ye({},t._private.options.layout);i.eles=t.elements(),t.layout(i).run()}(i,(function(){t.startAnimationLoop(),l.ready=!0,U(o.ready)&&t.on("ready",o.ready);for(var e=0;e<a.length;e++){var n=a[e];t.on("ready",n)}r&&(r.readies=[]),t.emit("ready")}),o.done)}))},Su=Pu.prototype;ye(Su,{instanceString:function(){return"core"},isReady:function(){return this._private.ready},destroyed:function(){return this._private.destroyed},ready:function(e){return this.isReady()?this.emitter().emit("ready",[],e):this.on("ready",e),this},destroy:function(){var e=this;if(!e.destroyed())return e.stopAnimationLoop(),e.destroyRenderer(),this.emit("destroy"),e._private.destroyed=!0,e},hasElementWithId:function(e){return this._private.elements.hasElementWithId(e)},getElementById:function(e){return this._private.elements.getElementById(e)},hasCompoundNodes:function(){return this._private.hasCompoundNodes},headless:function(){return this._private.renderer.isHeadless()},styleEnabled:function(){return this._private.styleEnabled},addToPool:function(e){return this._private.elements.merge(e),this},removeFromPool:function(e){return this._private.elements.unmerge(e),this},container:function(){return this._private.container||null},window:function(){if(null==this._private.container)return c;var e=this._private.container.ownerDocument;return void 0===e||null==e?c:e.defaultView||c},mount:function(e){if(null!=e){var t=this,n=t._private,r=n.options;return!$(e)&&$(e[0])&&(e=e[0]),t.stopAnimationLoop(),t.destroyRenderer(),n.container=e,n.styleEnabled=!0,t.invalidateSize(),t.initRenderer(ye({},r,r.renderer,{name:"null"===r.renderer.name?"canvas":r.renderer.name})),t.startAnimationLoop(),t.style(r.style),t.emit("mount"),t}},unmount:function(){var e=this;return e.stopAnimationLoop(),e.destroyRenderer(),e.initRenderer({name:"null"}),e.emit("unmount"),e},options:function(){return ot(this._private.options)},json:function(e){var t=this,n=t._private,r=t.mutableElements();if(K(e)){if(t.startBatch(),e.elements){var a={},i=function(e,n){for(var r=[],i=[],o=0;o<e.length;o++){var s=e[o];if(s.data.id){var l=""+s.data.id,u=t.getElementById(l);a[l]=!0,0!==u.length?i.push({ele:u,json:s}):n?(s.group=n,r.push(s)):r.push(s)}else it("cy.json() cannot handle elements without an ID attribute")}t.add(r);for(var c=0;c<i.length;c++){var d=i[c],h=d.ele,f=d.json;h.json(f)}};if(H(e.elements))i(e.elements);else for(var o=["nodes","edges"],s=0;s<o.length;s++){var l=o[s],u=e.elements[l];H(u)&&i(u,l)}var c=t.collection();r.filter((function(e){return!a[e.id()]})).forEach((function(e){e.isParent()?c.merge(e):e.remove()})),c.forEach((function(e){return e.children().move({parent:null})})),c.forEach((function(e){return function(e){return t.getElementById(e.id())}(e).remove()}))}e.style&&t.style(e.style),null!=e.zoom&&e.zoom!==n.zoom&&t.zoom(e.zoom),e.pan&&(e.pan.x===n.pan.x&&e.pan.y===n.pan.y||t.pan(e.pan)),e.data&&t.data(e.data);for(var d=["minZoom","maxZoom","zoomingEnabled","userZoomingEnabled","panningEnabled","userPanningEnabled","boxSelectionEnabled","autolock","autoungrabify","autounselectify","multiClickDebounceTime"],h=0;h<d.length;h++){var f=d[h];null!=e[f]&&t[f](e[f])}return t.endBatch(),this}var p={};!!e?p.elements=this.elements().map((function(e){return e.json()})):(p.elements={},r.forEach((function(e){var t=e.group();p.elements[t]||(p.elements[t]=[]),p.elements[t].push(e.json())}))),this._private.styleEnabled&&(p.style=t.style().json()),p.data=ot(t.data());var g=n.options;return p.zoomingEnabled=n.zoomingEnabled,p.userZoomingEnabled=n.userZoomingEnabled,p.zoom=n.zoom,p.minZoom=n.minZoom,p.maxZoom=n.maxZoom,p.panningEnabled=n.panningEnabled,p.userPanningEnabled=n.userPanningEnabled,p.pan=ot(n.pan),p.boxSelectionEnabled=n.boxSelectionEnabled,p.renderer=ot(g.renderer),p.hideEdgesOnViewport=g.hideEdgesOnViewport,p.textureOnViewport=g.textureOnViewport,p.wheelSensitivity=g.wheelSensitivity,p.motionBlur=g.motionBlur,p.multiClickDebounceTime=g.multiClickDebounceTime,p}}),Su.$id=Su.getElementById,[ql,nu,iu,ou,su,lu,cu,du,ku,Tu,Cu].forEach((function(e){ye(Su,e)}));var Bu={fit:!0,directed:!1,direction:"downward",padding:30,circle:!1,grid:!1,spacingFactor:1.75,boundingBox:void 0,avoidOverlap:!0,nodeDimensionsIncludeLabels:!1,roots:void 0,depthSort:void 0,animate:!1,animationDuration:500,animationEasing:void 0,animateFilter:function(e,t){return!0},ready:void 0,stop:void 0,transform:function(e,t){return t}},Du={maximal:!1,acyclic:!1},_u=function(e){return e.scratch("breadthfirst")},Au=function(e,t){return e.scratch("breadthfirst",t)};function Mu(e){this.options=ye({},Bu,Du,e)}Mu.prototype.run=function(){var e,t=this.options,n=t.cy,r=t.eles,a=r.nodes().filter((function(e){return e.isChildless()})),i=r,o=t.directed,s=t.acyclic||t.maximal||t.maximalAdjustments>0,l=!!t.boundingBox,u=tn(l?t.boundingBox:structuredClone(n.extent()));if(Q(t.roots))e=t.roots;else if(H(t.roots)){for(var c=[],d=0;d<t.roots.length;d++){var h=t.roots[d],f=n.getElementById(h);c.push(f)}e=n.collection(c)}else if(W(t.roots))e=n.$(t.roots);else if(o)e=a.roots();else{var p=r.components();e=n.collection();for(var g=function(){var t=p[v],n=t.maxDegree(!1),r=t.filter((function(e){return e.degree(!1)===n}));e=e.add(r)},v=0;v<p.length;v++)g()}var y=[],m={},b=function(e,t){null==y[t]&&(y[t]=[]);var n=y[t].length;y[t].push(e),Au(e,{index:n,depth:t})};i.bfs({roots:e,directed:t.directed,visit:function(e,t,n,r,a){var i=e[0],o=i.id();i.isChildless()&&b(i,a),m[o]=!0}});for(var x=[],w=0;w<a.length;w++){var E=a[w];m[E.id()]||x.push(E)}var k=function(e){for(var t=y[e],n=0;n<t.length;n++){var r=t[n];null!=r?Au(r,{depth:e,index:n}):(t.splice(n,1),n--)}},T=function(e,n){for(var a=_u(e),i=e.incomers().filter((function(e){return e.isNode()&&r.has(e)})),o=-1,s=e.id(),l=0;l<i.length;l++){var u=i[l],c=_u(u);o=Math.max(o,c.depth)}if(a.depth<=o){if(!t.acyclic&&n[s])return null;var d=o+1;return function(e,t){var n=_u(e),r=n.depth,a=n.index;y[r][a]=null,e.isChildless()&&b(e,t)}(e,d),n[s]=d,!0}return!1};if(o&&s){var C=[],P={},S=function(e){return C.push(e)};for(a.forEach((function(e){return C.push(e)}));C.length>0;){var B=C.shift(),D=T(B,P);if(D)B.outgoers().filter((function(e){return e.isNode()&&r.has(e)})).forEach(S);else if(null===D){it("Detected double maximal shift for node `"+B.id()+"`.  Bailing maximal adjustment due to cycle.  Use `options.maximal: true` only on DAGs.");break}}}var _=0;if(t.avoidOverlap)for(var A=0;A<a.length;A++){var M=a[A].layoutDimensions(t),R=M.w,I=M.h;_=Math.max(_,R,I)}var N={},L=function(e){if(N[e.id()])return N[e.id()];for(var t=_u(e).depth,n=e.neighborhood(),r=0,i=0,o=0;o<n.length;o++){var s=n[o];if(!s.isEdge()&&!s.isParent()&&a.has(s)){var l=_u(s);if(null!=l){var u=l.index,c=l.depth;if(null!=u&&null!=c){var d=y[c].length;c<t&&(r+=u/d,i++)}}}}return r/=i=Math.max(1,i),0===i&&(r=0),N[e.id()]=r,r},z=function(e,t){var n=L(e)-L(t);return 0===n?ve(e.id(),t.id()):n};void 0!==t.depthSort&&(z=t.depthSort);for(var O=y.length,V=0;V<O;V++)y[V].sort(z),k(V);for(var F=[],X=0;X<x.length;X++)F.push(x[X]);F.length&&(y.unshift(F),O=y.length,function(){for(var e=0;e<O;e++)k(e)}());for(var j=0,Y=0;Y<O;Y++)j=Math.max(y[Y].length,j);var q=u.x1+u.w/2,U=u.y1+u.h/2,K=a.reduce((function(e,n){return r=n.boundingBox({includeLabels:t.nodeDimensionsIncludeLabels}),{w:-1===e.w?r.w:(e.w+r.w)/2,h:-1===e.h?r.h:(e.h+r.h)/2};var r}),{w:-1,h:-1}),G=Math.max(1===O?0:l?(u.h-2*t.padding-K.h)/(O-1):(u.h-2*t.padding-K.h)/(O+1),_),Z=y.reduce((function(e,t){return Math.max(e,t.length)}),0),$={downward:0,leftward:90,upward:180,rightward:-90};-1===Object.keys($).indexOf(t.direction)&&rt("Invalid direction '".concat(t.direction,"' specified for breadthfirst layout. Valid values are: ").concat(Object.keys($).join(", ")));return r.nodes().layoutPositions(this,t,(function(e){return Ke(function(e){var n=_u(e),r=n.depth,a=n.index;if(t.circle){var i=Math.min(u.w/2/O,u.h/2/O),o=(i=Math.max(i,_))*r+i-(O>0&&y[0].length<=3?i/2:0),s=2*Math.PI/y[r].length*a;return 0===r&&1===y[0].length&&(o=1),{x:q+o*Math.cos(s),y:U+o*Math.sin(s)}}var c=y[r].length,d=Math.max(1===c?0:l?(u.w-2*t.padding-K.w)/((t.grid?Z:c)-1):(u.w-2*t.padding-K.w)/((t.grid?Z:c)+1),_);return{x:q+(a+1-(c+1)/2)*d,y:U+(r+1-(O+1)/2)*G}}(e),u,$[t.direction])})),this};var Ru={fit:!0,padding:30,boundingBox:void 0,avoidOverlap:!0,nodeDimensionsIncludeLabels:!1,spacingFactor:void 0,radius:void 0,startAngle:1.5*Math.PI,sweep:void 0,clockwise:!0,sort:void 0,animate:!1,animationDuration:500,animationEasing:void 0,animateFilter:function(e,t){return!0},ready:void 0,stop:void 0,transform:function(e,t){return t}};function Iu(e){this.options=ye({},Ru,e)}Iu.prototype.run=function(){var e=this.options,t=e,n=e.cy,r=t.eles,a=void 0!==t.counterclockwise?!t.counterclockwise:t.clockwise,i=r.nodes().not(":parent");t.sort&&(i=i.sort(t.sort));for(var o,s=tn(t.boundingBox?t.boundingBox:{x1:0,y1:0,w:n.width(),h:n.height()}),l=s.x1+s.w/2,u=s.y1+s.h/2,c=(void 0===t.sweep?2*Math.PI-2*Math.PI/i.length:t.sweep)/Math.max(1,i.length-1),d=0,h=0;h<i.length;h++){var f=i[h].layoutDimensions(t),p=f.w,g=f.h;d=Math.max(d,p,g)}if(o=G(t.radius)?t.radius:i.length<=1?0:Math.min(s.h,s.w)/2-d,i.length>1&&t.avoidOverlap){d*=1.75;var v=Math.cos(c)-Math.cos(0),y=Math.sin(c)-Math.sin(0),m=Math.sqrt(d*d/(v*v+y*y));o=Math.max(m,o)}return r.nodes().layoutPositions(this,t,(function(e,n){var r=t.startAngle+n*c*(a?1:-1),i=o*Math.cos(r),s=o*Math.sin(r);return{x:l+i,y:u+s}})),this};var Nu,Lu={fit:!0,padding:30,startAngle:1.5*Math.PI,sweep:void 0,clockwise:!0,equidistant:!1,minNodeSpacing:10,boundingBox:void 0,avoidOverlap:!0,nodeDimensionsIncludeLabels:!1,height:void 0,width:void 0,spacingFactor:void 0,concentric:function(e){return e.degree()},levelWidth:function(e){return e.maxDegree()/4},animate:!1,animationDuration:500,animationEasing:void 0,animateFilter:function(e,t){return!0},ready:void 0,stop:void 0,transform:function(e,t){return t}};function zu(e){this.options=ye({},Lu,e)}zu.prototype.run=function(){for(var e=this.options,t=e,n=void 0!==t.counterclockwise?!t.counterclockwise:t.clockwise,r=e.cy,a=t.eles,i=a.nodes().not(":parent"),o=tn(t.boundingBox?t.boundingBox:{x1:0,y1:0,w:r.width(),h:r.height()}),s=o.x1+o.w/2,l=o.y1+o.h/2,u=[],c=0,d=0;d<i.length;d++){var h,f=i[d];h=t.concentric(f),u.push({value:h,node:f}),f._private.scratch.concentric=h}i.updateStyle();for(var p=0;p<i.length;p++){var g=i[p].layoutDimensions(t);c=Math.max(c,g.w,g.h)}u.sort((function(e,t){return t.value-e.value}));for(var v=t.levelWidth(i),y=[[]],m=y[0],b=0;b<u.length;b++){var x=u[b];if(m.length>0)Math.abs(m[0].value-x.value)>=v&&(m=[],y.push(m));m.push(x)}var w=c+t.minNodeSpacing;if(!t.avoidOverlap){var E=y.length>0&&y[0].length>1,k=(Math.min(o.w,o.h)/2-w)/(y.length+E?1:0);w=Math.min(w,k)}for(var T=0,C=0;C<y.length;C++){var P=y[C],S=void 0===t.sweep?2*Math.PI-2*Math.PI/P.length:t.sweep,B=P.dTheta=S/Math.max(1,P.length-1);if(P.length>1&&t.avoidOverlap){var D=Math.cos(B)-Math.cos(0),_=Math.sin(B)-Math.sin(0),A=Math.sqrt(w*w/(D*D+_*_));T=Math.max(A,T)}P.r=T,T+=w}if(t.equidistant){for(var M=0,R=0,I=0;I<y.length;I++){var N=y[I].r-R;M=Math.max(M,N)}R=0;for(var L=0;L<y.length;L++){var z=y[L];0===L&&(R=z.r),z.r=R,R+=M}}for(var O={},V=0;V<y.length;V++)for(var F=y[V],X=F.dTheta,j=F.r,Y=0;Y<F.length;Y++){var q=F[Y],W=t.startAngle+(n?1:-1)*X*Y,U={x:s+j*Math.cos(W),y:l+j*Math.sin(W)};O[q.node.id()]=U}return a.nodes().layoutPositions(this,t,(function(e){var t=e.id();return O[t]})),this};var Ou={ready:function(){},stop:function(){},animate:!0,animationEasing:void 0,animationDuration:void 0,animateFilter:function(e,t){return!0},animationThreshold:250,refresh:20,fit:!0,padding:30,boundingBox:void 0,nodeDimensionsIncludeLabels:!1,randomize:!1,componentSpacing:40,nodeRepulsion:function(e){return 2048},nodeOverlap:4,idealEdgeLength:function(e){return 32},edgeElasticity:function(e){return 32},nestingFactor:1.2,gravity:1,numIter:1e3,initialTemp:1e3,coolingFactor:.99,minTemp:1};function Vu(e){this.options=ye({},Ou,e),this.options.layout=this;var t=this.options.eles.nodes(),n=this.options.eles.edges().filter((function(e){var n=e.source().data("id"),r=e.target().data("id"),a=t.some((function(e){return e.data("id")===n})),i=t.some((function(e){return e.data("id")===r}));return!a||!i}));this.options.eles=this.options.eles.not(n)}Vu.prototype.run=function(){var e=this.options,t=e.cy,n=this;n.stopped=!1,!0!==e.animate&&!1!==e.animate||n.emit({type:"layoutstart",layout:n}),Nu=!0===e.debug;var r=Fu(t,n,e);Nu&&undefined(r),e.randomize&&Yu(r);var a=Le(),i=function(){Wu(r,t,e),!0===e.fit&&t.fit(e.padding)},o=function(t){return!(n.stopped||t>=e.numIter)&&(Uu(r,e),r.temperature=r.temperature*e.coolingFactor,!(r.temperature<e.minTemp))},s=function(){if(!0===e.animate||!1===e.animate)i(),n.one("layoutstop",e.stop),n.emit({type:"layoutstop",layout:n});else{var t=e.eles.nodes(),a=qu(r,e,t);t.layoutPositions(n,e,a)}},l=0,u=!0;if(!0===e.animate){var c=function(){for(var t=0;u&&t<e.refresh;)u=o(l),l++,t++;u?(Le()-a>=e.animationThreshold&&i(),Ne(c)):(ac(r,e),s())};c()}else{for(;u;)u=o(l),l++;ac(r,e),s()}return this},Vu.prototype.stop=function(){return this.stopped=!0,this.thread&&this.thread.stop(),this.emit("layoutstop"),this},Vu.prototype.destroy=function(){return this.thread&&this.thread.stop(),this};var Fu=function(e,t,n){for(var r=n.eles.edges(),a=n.eles.nodes(),i=tn(n.boundingBox?n.boundingBox:{x1:0,y1:0,w:e.width(),h:e.height()}),o={isCompound:e.hasCompoundNodes(),layoutNodes:[],idToIndex:{},nodeSize:a.size(),graphSet:[],indexToGraph:[],layoutEdges:[],edgeSize:r.size(),temperature:n.initialTemp,clientWidth:i.w,clientHeight:i.h,boundingBox:i},s=n.eles.components(),l={},u=0;u<s.length;u++)for(var c=s[u],d=0;d<c.length;d++){l[c[d].id()]=u}for(u=0;u<o.nodeSize;u++){var h=(y=a[u]).layoutDimensions(n);(R={}).isLocked=y.locked(),R.id=y.data("id"),R.parentId=y.data("parent"),R.cmptId=l[y.id()],R.children=[],R.positionX=y.position("x"),R.positionY=y.position("y"),R.offsetX=0,R.offsetY=0,R.height=h.w,R.width=h.h,R.maxX=R.positionX+R.width/2,R.minX=R.positionX-R.width/2,R.maxY=R.positionY+R.height/2,R.minY=R.positionY-R.height/2,R.padLeft=parseFloat(y.style("padding")),R.padRight=parseFloat(y.style("padding")),R.padTop=parseFloat(y.style("padding")),R.padBottom=parseFloat(y.style("padding")),R.nodeRepulsion=U(n.nodeRepulsion)?n.nodeRepulsion(y):n.nodeRepulsion,o.layoutNodes.push(R),o.idToIndex[R.id]=u}var f=[],p=0,g=-1,v=[];for(u=0;u<o.nodeSize;u++){var y,m=(y=o.layoutNodes[u]).parentId;null!=m?o.layoutNodes[o.idToIndex[m]].children.push(y.id):(f[++g]=y.id,v.push(y.id))}for(o.graphSet.push(v);p<=g;){var b=f[p++],x=o.idToIndex[b],w=o.layoutNodes[x].children;if(w.length>0){o.graphSet.push(w);for(u=0;u<w.length;u++)f[++g]=w[u]}}for(u=0;u<o.graphSet.length;u++){var E=o.graphSet[u];for(d=0;d<E.length;d++){var k=o.idToIndex[E[d]];o.indexToGraph[k]=u}}for(u=0;u<o.edgeSize;u++){var T=r[u],C={};C.id=T.data("id"),C.sourceId=T.data("source"),C.targetId=T.data("target");var P=U(n.idealEdgeLength)?n.idealEdgeLength(T):n.idealEdgeLength,S=U(n.edgeElasticity)?n.edgeElasticity(T):n.edgeElasticity,B=o.idToIndex[C.sourceId],D=o.idToIndex[C.targetId];if(o.indexToGraph[B]!=o.indexToGraph[D]){for(var _=Xu(C.sourceId,C.targetId,o),A=o.graphSet[_],M=0,R=o.layoutNodes[B];-1===A.indexOf(R.id);)R=o.layoutNodes[o.idToIndex[R.parentId]],M++;for(R=o.layoutNodes[D];-1===A.indexOf(R.id);)R=o.layoutNodes[o.idToIndex[R.parentId]],M++;P*=M*n.nestingFactor}C.idealLength=P,C.elasticity=S,o.layoutEdges.push(C)}return o},Xu=function(e,t,n){var r=ju(e,t,0,n);return 2>r.count?0:r.graph},ju=function(e,t,n,r){var a=r.graphSet[n];if(-1<a.indexOf(e)&&-1<a.indexOf(t))return{count:2,graph:n};for(var i=0,o=0;o<a.length;o++){var s=a[o],l=r.idToIndex[s],u=r.layoutNodes[l].children;if(0!==u.length){var c=r.indexToGraph[r.idToIndex[u[0]]],d=ju(e,t,c,r);if(0!==d.count){if(1!==d.count)return d;if(2===++i)break}}}return{count:i,graph:n}},Yu=function(e,t){for(var n=e.clientWidth,r=e.clientHeight,a=0;a<e.nodeSize;a++){var i=e.layoutNodes[a];0!==i.children.length||i.isLocked||(i.positionX=Math.random()*n,i.positionY=Math.random()*r)}},qu=function(e,t,n){var r=e.boundingBox,a={x1:1/0,x2:-1/0,y1:1/0,y2:-1/0};return t.boundingBox&&(n.forEach((function(t){var n=e.layoutNodes[e.idToIndex[t.data("id")]];a.x1=Math.min(a.x1,n.positionX),a.x2=Math.max(a.x2,n.positionX),a.y1=Math.min(a.y1,n.positionY),a.y2=Math.max(a.y2,n.positionY)})),a.w=a.x2-a.x1,a.h=a.y2-a.y1),function(n,i){var o=e.layoutNodes[e.idToIndex[n.data("id")]];if(t.boundingBox){var s=0===a.w?.5:(o.positionX-a.x1)/a.w,l=0===a.h?.5:(o.positionY-a.y1)/a.h;return{x:r.x1+s*r.w,y:r.y1+l*r.h}}return{x:o.positionX,y:o.positionY}}},Wu=function(e,t,n){var r=n.layout,a=n.eles.nodes(),i=qu(e,n,a);a.positions(i),!0!==e.ready&&(e.ready=!0,r.one("layoutready",n.ready),r.emit({type:"layoutready",layout:this}))},Uu=function(e,t,n){Hu(e,t),Qu(e),Ju(e,t),ec(e),tc(e)},Hu=function(e,t){for(var n=0;n<e.graphSet.length;n++)for(var r=e.graphSet[n],a=r.length,i=0;i<a;i++)for(var o=e.layoutNodes[e.idToIndex[r[i]]],s=i+1;s<a;s++){var l=e.layoutNodes[e.idToIndex[r[s]]];Gu(o,l,e,t)}},Ku=function(e){return-e+2*e*Math.random()},Gu=function(e,t,n,r){if(e.cmptId===t.cmptId||n.isCompound){var a=t.positionX-e.positionX,i=t.positionY-e.positionY;0===a&&0===i&&(a=Ku(1),i=Ku(1));var o=Zu(e,t,a,i);if(o>0)var s=(u=r.nodeOverlap*o)*a/(g=Math.sqrt(a*a+i*i)),l=u*i/g;else{var u,c=$u(e,a,i),d=$u(t,-1*a,-1*i),h=d.x-c.x,f=d.y-c.y,p=h*h+f*f,g=Math.sqrt(p);s=(u=(e.nodeRepulsion+t.nodeRepulsion)/p)*h/g,l=u*f/g}e.isLocked||(e.offsetX-=s,e.offsetY-=l),t.isLocked||(t.offsetX+=s,t.offsetY+=l)}},Zu=function(e,t,n,r){if(n>0)var a=e.maxX-t.minX;else a=t.maxX-e.minX;if(r>0)var i=e.maxY-t.minY;else i=t.maxY-e.minY;return a>=0&&i>=0?Math.sqrt(a*a+i*i):0},$u=function(e,t,n){var r=e.positionX,a=e.positionY,i=e.height||1,o=e.width||1,s=n/t,l=i/o,u={};return 0===t&&0<n||0===t&&0>n?(u.x=r,u.y=a+i/2,u):0<t&&-1*l<=s&&s<=l?(u.x=r+o/2,u.y=a+o*n/2/t,u):0>t&&-1*l<=s&&s<=l?(u.x=r-o/2,u.y=a-o*n/2/t,u):0<n&&(s<=-1*l||s>=l)?(u.x=r+i*t/2/n,u.y=a+i/2,u):0>n&&(s<=-1*l||s>=l)?(u.x=r-i*t/2/n,u.y=a-i/2,u):u},Qu=function(e,t){for(var n=0;n<e.edgeSize;n++){var r=e.layoutEdges[n],a=e.idToIndex[r.sourceId],i=e.layoutNodes[a],o=e.idToIndex[r.targetId],s=e.layoutNodes[o],l=s.positionX-i.positionX,u=s.positionY-i.positionY;if(0!==l||0!==u){var c=$u(i,l,u),d=$u(s,-1*l,-1*u),h=d.x-c.x,f=d.y-c.y,p=Math.sqrt(h*h+f*f),g=Math.pow(r.idealLength-p,2)/r.elasticity;if(0!==p)var v=g*h/p,y=g*f/p;else v=0,y=0;i.isLocked||(i.offsetX+=v,i.offsetY+=y),s.isLocked||(s.offsetX-=v,s.offsetY-=y)}}},Ju=function(e,t){if(0!==t.gravity)for(var n=0;n<e.graphSet.length;n++){var r=e.graphSet[n],a=r.length;if(0===n)var i=e.clientHeight/2,o=e.clientWidth/2;else{var s=e.layoutNodes[e.idToIndex[r[0]]],l=e.layoutNodes[e.idToIndex[s.parentId]];i=l.positionX,o=l.positionY}for(var u=0;u<a;u++){var c=e.layoutNodes[e.idToIndex[r[u]]];if(!c.isLocked){var d=i-c.positionX,h=o-c.positionY,f=Math.sqrt(d*d+h*h);if(f>1){var p=t.gravity*d/f,g=t.gravity*h/f;c.offsetX+=p,c.offsetY+=g}}}}},ec=function(e,t){var n=[],r=0,a=-1;for(n.push.apply(n,e.graphSet[0]),a+=e.graphSet[0].length;r<=a;){var i=n[r++],o=e.idToIndex[i],s=e.layoutNodes[o],l=s.children;if(0<l.length&&!s.isLocked){for(var u=s.offsetX,c=s.offsetY,d=0;d<l.length;d++){var h=e.layoutNodes[e.idToIndex[l[d]]];h.offsetX+=u,h.offsetY+=c,n[++a]=l[d]}s.offsetX=0,s.offsetY=0}}},tc=function(e,t){for(var n=0;n<e.nodeSize;n++){0<(a=e.layoutNodes[n]).children.length&&(a.maxX=void 0,a.minX=void 0,a.maxY=void 0,a.minY=void 0)}for(n=0;n<e.nodeSize;n++){if(!(0<(a=e.layoutNodes[n]).children.length||a.isLocked)){var r=nc(a.offsetX,a.offsetY,e.temperature);a.positionX+=r.x,a.positionY+=r.y,a.offsetX=0,a.offsetY=0,a.minX=a.positionX-a.width,a.maxX=a.positionX+a.width,a.minY=a.positionY-a.height,a.maxY=a.positionY+a.height,rc(a,e)}}for(n=0;n<e.nodeSize;n++){var a;0<(a=e.layoutNodes[n]).children.length&&!a.isLocked&&(a.positionX=(a.maxX+a.minX)/2,a.positionY=(a.maxY+a.minY)/2,a.width=a.maxX-a.minX,a.height=a.maxY-a.minY)}},nc=function(e,t,n){var r=Math.sqrt(e*e+t*t);if(r>n)var a={x:n*e/r,y:n*t/r};else a={x:e,y:t};return a},rc=function(e,t){var n=e.parentId;if(null!=n){var r=t.layoutNodes[t.idToIndex[n]],a=!1;return(null==r.maxX||e.maxX+r.padRight>r.maxX)&&(r.maxX=e.maxX+r.padRight,a=!0),(null==r.minX||e.minX-r.padLeft<r.minX)&&(r.minX=e.minX-r.padLeft,a=!0),(null==r.maxY||e.maxY+r.padBottom>r.maxY)&&(r.maxY=e.maxY+r.padBottom,a=!0),(null==r.minY||e.minY-r.padTop<r.minY)&&(r.minY=e.minY-r.padTop,a=!0),a?rc(r,t):void 0}},ac=function(e,t){for(var n=e.layoutNodes,r=[],a=0;a<n.length;a++){var i=n[a],o=i.cmptId;(r[o]=r[o]||[]).push(i)}var s=0;for(a=0;a<r.length;a++){if(g=r[a]){g.x1=1/0,g.x2=-1/0,g.y1=1/0,g.y2=-1/0;for(var l=0;l<g.length;l++){var u=g[l];g.x1=Math.min(g.x1,u.positionX-u.width/2),g.x2=Math.max(g.x2,u.positionX+u.width/2),g.y1=Math.min(g.y1,u.positionY-u.height/2),g.y2=Math.max(g.y2,u.positionY+u.height/2)}g.w=g.x2-g.x1,g.h=g.y2-g.y1,s+=g.w*g.h}}r.sort((function(e,t){return t.w*t.h-e.w*e.h}));var c=0,d=0,h=0,f=0,p=Math.sqrt(s)*e.clientWidth/e.clientHeight;for(a=0;a<r.length;a++){var g;if(g=r[a]){for(l=0;l<g.length;l++){(u=g[l]).isLocked||(u.positionX+=c-g.x1,u.positionY+=d-g.y1)}c+=g.w+t.componentSpacing,h+=g.w+t.componentSpacing,f=Math.max(f,g.h),h>p&&(d+=f+t.componentSpacing,c=0,h=0,f=0)}}},ic={fit:!0,padding:30,boundingBox:void 0,avoidOverlap:!0,avoidOverlapPadding:10,nodeDimensionsIncludeLabels:!1,spacingFactor:void 0,condense:!1,rows:void 0,cols:void 0,position:function(e){},sort:void 0,animate:!1,animationDuration:500,animationEasing:void 0,animateFilter:function(e,t){return!0},ready:void 0,stop:void 0,transform:function(e,t){return t}};function oc(e){this.options=ye({},ic,e)}oc.prototype.run=function(){var e=this.options,t=e,n=e.cy,r=t.eles,a=r.nodes().not(":parent");t.sort&&(a=a.sort(t.sort));var i=tn(t.boundingBox?t.boundingBox:{x1:0,y1:0,w:n.width(),h:n.height()});if(0===i.h||0===i.w)r.nodes().layoutPositions(this,t,(function(e){return{x:i.x1,y:i.y1}}));else{var o=a.size(),s=Math.sqrt(o*i.h/i.w),l=Math.round(s),u=Math.round(i.w/i.h*s),c=function(e){if(null==e)return Math.min(l,u);Math.min(l,u)==l?l=e:u=e},d=function(e){if(null==e)return Math.max(l,u);Math.max(l,u)==l?l=e:u=e},h=t.rows,f=null!=t.cols?t.cols:t.columns;if(null!=h&&null!=f)l=h,u=f;else if(null!=h&&null==f)l=h,u=Math.ceil(o/l);else if(null==h&&null!=f)u=f,l=Math.ceil(o/u);else if(u*l>o){var p=c(),g=d();(p-1)*g>=o?c(p-1):(g-1)*p>=o&&d(g-1)}else for(;u*l<o;){var v=c(),y=d();(y+1)*v>=o?d(y+1):c(v+1)}var m=i.w/u,b=i.h/l;if(t.condense&&(m=0,b=0),t.avoidOverlap)for(var x=0;x<a.length;x++){var w=a[x],E=w._private.position;null!=E.x&&null!=E.y||(E.x=0,E.y=0);var k=w.layoutDimensions(t),T=t.avoidOverlapPadding,C=k.w+T,P=k.h+T;m=Math.max(m,C),b=Math.max(b,P)}for(var S={},B=function(e,t){return!!S["c-"+e+"-"+t]},D=function(e,t){S["c-"+e+"-"+t]=!0},_=0,A=0,M=function(){++A>=u&&(A=0,_++)},R={},I=0;I<a.length;I++){var N=a[I],L=t.position(N);if(L&&(void 0!==L.row||void 0!==L.col)){var z={row:L.row,col:L.col};if(void 0===z.col)for(z.col=0;B(z.row,z.col);)z.col++;else if(void 0===z.row)for(z.row=0;B(z.row,z.col);)z.row++;R[N.id()]=z,D(z.row,z.col)}}a.layoutPositions(this,t,(function(e,t){var n,r;if(e.locked()||e.isParent())return!1;var a=R[e.id()];if(a)n=a.col*m+m/2+i.x1,r=a.row*b+b/2+i.y1;else{for(;B(_,A);)M();n=A*m+m/2+i.x1,r=_*b+b/2+i.y1,D(_,A),M()}return{x:n,y:r}}))}return this};var sc={ready:function(){},stop:function(){}};function lc(e){this.options=ye({},sc,e)}lc.prototype.run=function(){var e=this.options,t=e.eles,n=this;return e.cy,n.emit("layoutstart"),t.nodes().positions((function(){return{x:0,y:0}})),n.one("layoutready",e.ready),n.emit("layoutready"),n.one("layoutstop",e.stop),n.emit("layoutstop"),this},lc.prototype.stop=function(){return this};var uc={positions:void 0,zoom:void 0,pan:void 0,fit:!0,padding:30,spacingFactor:void 0,animate:!1,animationDuration:500,animationEasing:void 0,animateFilter:function(e,t){return!0},ready:void 0,stop:void 0,transform:function(e,t){return t}};function cc(e){this.options=ye({},uc,e)}cc.prototype.run=function(){var e=this.options,t=e.eles.nodes(),n=U(e.positions);return t.layoutPositions(this,e,(function(t,r){var a=function(t){if(null==e.positions)return function(e){return{x:e.x,y:e.y}}(t.position());if(n)return e.positions(t);var r=e.positions[t._private.data.id];return null==r?null:r}(t);return!t.locked()&&null!=a&&a})),this};var dc={fit:!0,padding:30,boundingBox:void 0,animate:!1,animationDuration:500,animationEasing:void 0,animateFilter:function(e,t){return!0},ready:void 0,stop:void 0,transform:function(e,t){return t}};function hc(e){this.options=ye({},dc,e)}hc.prototype.run=function(){var e=this.options,t=e.cy,n=e.eles,r=tn(e.boundingBox?e.boundingBox:{x1:0,y1:0,w:t.width(),h:t.height()});return n.nodes().layoutPositions(this,e,(function(e,t){return{x:r.x1+Math.round(Math.random()*r.w),y:r.y1+Math.round(Math.random()*r.h)}})),this};var fc=[{name:"breadthfirst",impl:Mu},{name:"circle",impl:Iu},{name:"concentric",impl:zu},{name:"cose",impl:Vu},{name:"grid",impl:oc},{name:"null",impl:lc},{name:"preset",impl:cc},{name:"random",impl:hc}];function pc(e){this.options=e,this.notifications=0}var gc=function(){},vc=function(){throw new Error("A headless instance can not render images")};pc.prototype={recalculateRenderedStyle:gc,notify:function(){this.notifications++},init:gc,isHeadless:function(){return!0},png:vc,jpg:vc};var yc={arrowShapeWidth:.3,registerArrowShapes:function(){var e=this.arrowShapes={},t=this,n=function(e,t,n,r,a,i,o){var s=a.x-n/2-o,l=a.x+n/2+o,u=a.y-n/2-o,c=a.y+n/2+o;return s<=e&&e<=l&&u<=t&&t<=c},r=function(e,t,n,r,a){var i=e*Math.cos(r)-t*Math.sin(r),o=(e*Math.sin(r)+t*Math.cos(r))*n;return{x:i*n+a.x,y:o+a.y}},a=function(e,t,n,a){for(var i=[],o=0;o<e.length;o+=2){var s=e[o],l=e[o+1];i.push(r(s,l,t,n,a))}return i},i=function(e){for(var t=[],n=0;n<e.length;n++){var r=e[n];t.push(r.x,r.y)}return t},o=function(e){return e.pstyle("width").pfValue*e.pstyle("arrow-scale").pfValue*2},s=function(r,s){W(s)&&(s=e[s]),e[r]=ye({name:r,points:[-.15,-.3,.15,-.3,.15,.3,-.15,.3],collide:function(e,t,n,r,o,s){var l=i(a(this.points,n+2*s,r,o));return mn(e,t,l)},roughCollide:n,draw:function(e,n,r,i){var o=a(this.points,n,r,i);t.arrowShapeImpl("polygon")(e,o)},spacing:function(e){return 0},gap:o},s)};s("none",{collide:et,roughCollide:et,draw:nt,spacing:tt,gap:tt}),s("triangle",{points:[-.15,-.3,0,0,.15,-.3]}),s("arrow","triangle"),s("triangle-backcurve",{points:e.triangle.points,controlPoint:[0,-.15],roughCollide:n,draw:function(e,n,i,o,s){var l=a(this.points,n,i,o),u=this.controlPoint,c=r(u[0],u[1],n,i,o);t.arrowShapeImpl(this.name)(e,l,c)},gap:function(e){return.8*o(e)}}),s("triangle-tee",{points:[0,0,.15,-.3,-.15,-.3,0,0],pointsTee:[-.15,-.4,-.15,-.5,.15,-.5,.15,-.4],collide:function(e,t,n,r,o,s,l){var u=i(a(this.points,n+2*l,r,o)),c=i(a(this.pointsTee,n+2*l,r,o));return mn(e,t,u)||mn(e,t,c)},draw:function(e,n,r,i,o){var s=a(this.points,n,r,i),l=a(this.pointsTee,n,r,i);t.arrowShapeImpl(this.name)(e,s,l)}}),s("circle-triangle",{radius:.15,pointsTr:[0,-.15,.15,-.45,-.15,-.45,0,-.15],collide:function(e,t,n,r,o,s,l){var u=o,c=Math.pow(u.x-e,2)+Math.pow(u.y-t,2)<=Math.pow((n+2*l)*this.radius,2),d=i(a(this.points,n+2*l,r,o));return mn(e,t,d)||c},draw:function(e,n,r,i,o){var s=a(this.pointsTr,n,r,i);t.arrowShapeImpl(this.name)(e,s,i.x,i.y,this.radius*n)},spacing:function(e){return t.getArrowWidth(e.pstyle("width").pfValue,e.pstyle("arrow-scale").value)*this.radius}}),s("triangle-cross",{points:[0,0,.15,-.3,-.15,-.3,0,0],baseCrossLinePts:[-.15,-.4,-.15,-.4,.15,-.4,.15,-.4],crossLinePts:function(e,t){var n=this.baseCrossLinePts.slice(),r=t/e;return n[3]=n[3]-r,n[5]=n[5]-r,n},collide:function(e,t,n,r,o,s,l){var u=i(a(this.points,n+2*l,r,o)),c=i(a(this.crossLinePts(n,s),n+2*l,r,o));return mn(e,t,u)||mn(e,t,c)},draw:function(e,n,r,i,o){var s=a(this.points,n,r,i),l=a(this.crossLinePts(n,o),n,r,i);t.arrowShapeImpl(this.name)(e,s,l)}}),s("vee",{points:[-.15,-.3,0,0,.15,-.3,0,-.15],gap:function(e){return.525*o(e)}}),s("circle",{radius:.15,collide:function(e,t,n,r,a,i,o){var s=a;return Math.pow(s.x-e,2)+Math.pow(s.y-t,2)<=Math.pow((n+2*o)*this.radius,2)},draw:function(e,n,r,a,i){t.arrowShapeImpl(this.name)(e,a.x,a.y,this.radius*n)},spacing:function(e){return t.getArrowWidth(e.pstyle("width").pfValue,e.pstyle("arrow-scale").value)*this.radius}}),s("tee",{points:[-.15,0,-.15,-.1,.15,-.1,.15,0],spacing:function(e){return 1},gap:function(e){return 1}}),s("square",{points:[-.15,0,.15,0,.15,-.3,-.15,-.3]}),s("diamond",{points:[-.15,-.15,0,-.3,.15,-.15,0,0],gap:function(e){return e.pstyle("width").pfValue*e.pstyle("arrow-scale").value}}),s("chevron",{points:[0,0,-.15,-.15,-.1,-.2,0,-.1,.1,-.2,.15,-.15],gap:function(e){return.95*e.pstyle("width").pfValue*e.pstyle("arrow-scale").value}})}},mc={projectIntoViewport:function(e,t){var n=this.cy,r=this.findContainerClientCoords(),a=r[0],i=r[1],o=r[4],s=n.pan(),l=n.zoom();return[((e-a)/o-s.x)/l,((t-i)/o-s.y)/l]},findContainerClientCoords:function(){if(this.containerBB)return this.containerBB;var e=this.container,t=e.getBoundingClientRect(),n=this.cy.window().getComputedStyle(e),r=function(e){return parseFloat(n.getPropertyValue(e))},a=r("padding-left"),i=r("padding-right"),o=r("padding-top"),s=r("padding-bottom"),l=r("border-left-width"),u=r("border-right-width"),c=r("border-top-width"),d=(r("border-bottom-width"),e.clientWidth),h=e.clientHeight,f=a+i,p=o+s,g=l+u,v=t.width/(d+g),y=d-f,m=h-p,b=t.left+a+l,x=t.top+o+c;return this.containerBB=[b,x,y,m,v]},invalidateContainerClientCoordsCache:function(){this.containerBB=null},findNearestElement:function(e,t,n,r){return this.findNearestElements(e,t,n,r)[0]},findNearestElements:function(e,t,n,r){var a,i,o=this,s=this,l=s.getCachedZSortedEles(),u=[],c=s.cy.zoom(),d=s.cy.hasCompoundNodes(),h=(r?24:8)/c,f=(r?8:2)/c,p=(r?8:2)/c,g=1/0;function v(e,t){if(e.isNode()){if(i)return;i=e,u.push(e)}if(e.isEdge()&&(null==t||t<g))if(a){if(a.pstyle("z-compound-depth").value===e.pstyle("z-compound-depth").value&&a.pstyle("z-compound-depth").value===e.pstyle("z-compound-depth").value)for(var n=0;n<u.length;n++)if(u[n].isEdge()){u[n]=e,a=e,g=null!=t?t:g;break}}else u.push(e),a=e,g=null!=t?t:g}function y(n){var r=n.outerWidth()+2*f,a=n.outerHeight()+2*f,i=r/2,l=a/2,u=n.position(),c="auto"===n.pstyle("corner-radius").value?"auto":n.pstyle("corner-radius").pfValue,d=n._private.rscratch;if(u.x-i<=e&&e<=u.x+i&&u.y-l<=t&&t<=u.y+l&&s.nodeShapes[o.getNodeShape(n)].checkPoint(e,t,0,r,a,u.x,u.y,c,d))return v(n,0),!0}function m(n){var r,a=n._private,i=a.rscratch,l=n.pstyle("width").pfValue,c=n.pstyle("arrow-scale").value,f=l/2+h,p=f*f,g=2*f,m=a.source,b=a.target;if("segments"===i.edgeType||"straight"===i.edgeType||"haystack"===i.edgeType){for(var x=i.allpts,w=0;w+3<x.length;w+=2)if(pn(e,t,x[w],x[w+1],x[w+2],x[w+3],g)&&p>(r=yn(e,t,x[w],x[w+1],x[w+2],x[w+3])))return v(n,r),!0}else if("bezier"===i.edgeType||"multibezier"===i.edgeType||"self"===i.edgeType||"compound"===i.edgeType)for(x=i.allpts,w=0;w+5<i.allpts.length;w+=4)if(gn(e,t,x[w],x[w+1],x[w+2],x[w+3],x[w+4],x[w+5],g)&&p>(r=vn(e,t,x[w],x[w+1],x[w+2],x[w+3],x[w+4],x[w+5])))return v(n,r),!0;m=m||a.source,b=b||a.target;var E=o.getArrowWidth(l,c),k=[{name:"source",x:i.arrowStartX,y:i.arrowStartY,angle:i.srcArrowAngle},{name:"target",x:i.arrowEndX,y:i.arrowEndY,angle:i.tgtArrowAngle},{name:"mid-source",x:i.midX,y:i.midY,angle:i.midsrcArrowAngle},{name:"mid-target",x:i.midX,y:i.midY,angle:i.midtgtArrowAngle}];for(w=0;w<k.length;w++){var T=k[w],C=s.arrowShapes[n.pstyle(T.name+"-arrow-shape").value],P=n.pstyle("width").pfValue;if(C.roughCollide(e,t,E,T.angle,{x:T.x,y:T.y},P,h)&&C.collide(e,t,E,T.angle,{x:T.x,y:T.y},P,h))return v(n),!0}d&&u.length>0&&(y(m),y(b))}function b(e,t,n){return ft(e,t,n)}function x(n,r){var a,i=n._private,o=p;a=r?r+"-":"",n.boundingBox();var s=i.labelBounds[r||"main"],l=n.pstyle(a+"label").value;if("yes"===n.pstyle("text-events").strValue&&l){var u=b(i.rscratch,"labelX",r),c=b(i.rscratch,"labelY",r),d=b(i.rscratch,"labelAngle",r),h=n.pstyle(a+"text-margin-x").pfValue,f=n.pstyle(a+"text-margin-y").pfValue,g=s.x1-o-h,y=s.x2+o-h,m=s.y1-o-f,x=s.y2+o-f;if(d){var w=Math.cos(d),E=Math.sin(d),k=function(e,t){return{x:(e-=u)*w-(t-=c)*E+u,y:e*E+t*w+c}},T=k(g,m),C=k(g,x),P=k(y,m),S=k(y,x),B=[T.x+h,T.y+f,P.x+h,P.y+f,S.x+h,S.y+f,C.x+h,C.y+f];if(mn(e,t,B))return v(n),!0}else if(ln(s,e,t))return v(n),!0}}n&&(l=l.interactive);for(var w=l.length-1;w>=0;w--){var E=l[w];E.isNode()?y(E)||x(E):m(E)||x(E)||x(E,"source")||x(E,"target")}return u},getAllInBox:function(e,t,n,r){var a=this.getCachedZSortedEles().interactive,o=2/this.cy.zoom(),s=[],l=Math.min(e,n),u=Math.max(e,n),c=Math.min(t,r),d=Math.max(t,r),h=tn({x1:e=l,y1:t=c,x2:n=u,y2:r=d}),f=[{x:h.x1,y:h.y1},{x:h.x2,y:h.y1},{x:h.x2,y:h.y2},{x:h.x1,y:h.y2}],p=[[f[0],f[1]],[f[1],f[2]],[f[2],f[3]],[f[3],f[0]]];function g(e,t,n){return ft(e,t,n)}function v(e,t){var n=e._private,r=o;e.boundingBox();var a=n.labelBounds.main;if(!a)return null;var i=g(n.rscratch,"labelX",t),s=g(n.rscratch,"labelY",t),l=g(n.rscratch,"labelAngle",t),u=e.pstyle("text-margin-x").pfValue,c=e.pstyle("text-margin-y").pfValue,d=a.x1-r-u,h=a.x2+r-u,f=a.y1-r-c,p=a.y2+r-c;if(l){var v=Math.cos(l),y=Math.sin(l),m=function(e,t){return{x:(e-=i)*v-(t-=s)*y+i,y:e*y+t*v+s}};return[m(d,f),m(h,f),m(h,p),m(d,p)]}return[{x:d,y:f},{x:h,y:f},{x:h,y:p},{x:d,y:p}]}function y(e,t,n,r){function a(e,t,n){return(n.y-e.y)*(t.x-e.x)>(t.y-e.y)*(n.x-e.x)}return a(e,n,r)!==a(t,n,r)&&a(e,t,n)!==a(e,t,r)}for(var m=0;m<a.length;m++){var b=a[m];if(b.isNode()){var x=b,w="yes"===x.pstyle("text-events").strValue,E=x.pstyle("box-selection").strValue,k="yes"===x.pstyle("box-select-labels").strValue;if("none"===E)continue;var T=("overlap"===E||k)&&w,C=x.boundingBox({includeNodes:!0,includeEdges:!1,includeLabels:T});if("contain"===E){var P=!1;if(k&&w){var S=v(x);S&&Nn(S,f)&&(s.push(x),P=!0)}!P&&cn(h,C)&&s.push(x)}else if("overlap"===E&&sn(h,C)){var B=x.boundingBox({includeNodes:!0,includeEdges:!0,includeLabels:!1,includeMainLabels:!1,includeSourceLabels:!1,includeTargetLabels:!1});if(Nn([{x:B.x1,y:B.y1},{x:B.x2,y:B.y1},{x:B.x2,y:B.y2},{x:B.x1,y:B.y2}],f))s.push(x);else{var D=v(x);D&&Nn(D,f)&&s.push(x)}}}else{var _=b,A=_._private,M=A.rscratch,R=_.pstyle("box-selection").strValue;if("none"===R)continue;if("contain"===R){if(null!=M.startX&&null!=M.startY&&!ln(h,M.startX,M.startY))continue;if(null!=M.endX&&null!=M.endY&&!ln(h,M.endX,M.endY))continue;if("bezier"===M.edgeType||"multibezier"===M.edgeType||"self"===M.edgeType||"compound"===M.edgeType||"segments"===M.edgeType||"haystack"===M.edgeType){for(var I=A.rstyle.bezierPts||A.rstyle.linePts||A.rstyle.haystackPts,N=!0,L=0;L<I.length;L++)if(!un(h,I[L])){N=!1;break}N&&s.push(_)}else"straight"===M.edgeType&&s.push(_)}else if("overlap"===R){var z=!1;if(null!=M.startX&&null!=M.startY&&null!=M.endX&&null!=M.endY&&(ln(h,M.startX,M.startY)||ln(h,M.endX,M.endY)))s.push(_),z=!0;else if(!z&&"haystack"===M.edgeType)for(var O=A.rstyle.haystackPts,V=0;V<O.length;V++)if(un(h,O[V])){s.push(_),z=!0;break}if(!z){var F=A.rstyle.bezierPts||A.rstyle.linePts||A.rstyle.haystackPts;if((!F||F.length<2)&&"straight"===M.edgeType&&null!=M.startX&&null!=M.startY&&null!=M.endX&&null!=M.endY&&(F=[{x:M.startX,y:M.startY},{x:M.endX,y:M.endY}]),!F||F.length<2)continue;for(var X=0;X<F.length-1;X++){for(var j=F[X],Y=F[X+1],q=0;q<p.length;q++){var W=i(p[q],2);if(y(j,Y,W[0],W[1])){s.push(_),z=!0;break}}if(z)break}}}}}return s}},bc={calculateArrowAngles:function(e){var t,n,r,a,i,o,s=e._private.rscratch,l="haystack"===s.edgeType,u="bezier"===s.edgeType,c="multibezier"===s.edgeType,d="segments"===s.edgeType,h="compound"===s.edgeType,f="self"===s.edgeType;if(l?(r=s.haystackPts[0],a=s.haystackPts[1],i=s.haystackPts[2],o=s.haystackPts[3]):(r=s.arrowStartX,a=s.arrowStartY,i=s.arrowEndX,o=s.arrowEndY),g=s.midX,v=s.midY,d)t=r-s.segpts[0],n=a-s.segpts[1];else if(c||h||f||u){var p=s.allpts;t=r-Qt(p[0],p[2],p[4],.1),n=a-Qt(p[1],p[3],p[5],.1)}else t=r-g,n=a-v;s.srcArrowAngle=Ut(t,n);var g=s.midX,v=s.midY;if(l&&(g=(r+i)/2,v=(a+o)/2),t=i-r,n=o-a,d)if((p=s.allpts).length/2%2==0){var y=(C=p.length/2)-2;t=p[C]-p[y],n=p[C+1]-p[y+1]}else if(s.isRound)t=s.midVector[1],n=-s.midVector[0];else{y=(C=p.length/2-1)-2;t=p[C]-p[y],n=p[C+1]-p[y+1]}else if(c||h||f){var m,b,x,w,p=s.allpts;if(s.ctrlpts.length/2%2==0){var E=(k=(T=p.length/2-1)+2)+2;m=Qt(p[T],p[k],p[E],0),b=Qt(p[T+1],p[k+1],p[E+1],0),x=Qt(p[T],p[k],p[E],1e-4),w=Qt(p[T+1],p[k+1],p[E+1],1e-4)}else{var k,T;E=(k=p.length/2-1)+2;m=Qt(p[T=k-2],p[k],p[E],.4999),b=Qt(p[T+1],p[k+1],p[E+1],.4999),x=Qt(p[T],p[k],p[E],.5),w=Qt(p[T+1],p[k+1],p[E+1],.5)}t=x-m,n=w-b}if(s.midtgtArrowAngle=Ut(t,n),s.midDispX=t,s.midDispY=n,t*=-1,n*=-1,d)if((p=s.allpts).length/2%2==0);else if(!s.isRound){var C,P=(C=p.length/2-1)+2;t=-(p[P]-p[C]),n=-(p[P+1]-p[C+1])}if(s.midsrcArrowAngle=Ut(t,n),d)t=i-s.segpts[s.segpts.length-2],n=o-s.segpts[s.segpts.length-1];else if(c||h||f||u){var S=(p=s.allpts).length;t=i-Qt(p[S-6],p[S-4],p[S-2],.9),n=o-Qt(p[S-5],p[S-3],p[S-1],.9)}else t=i-g,n=o-v;s.tgtArrowAngle=Ut(t,n)}};bc.getArrowWidth=bc.getArrowHeight=function(e,t){var n=this.arrowWidthCache=this.arrowWidthCache||{},r=n[e+", "+t];return r||(r=Math.max(Math.pow(13.37*e,.9),29)*t,n[e+", "+t]=r,r)};var xc,wc,Ec,kc,Tc,Cc,Pc,Sc,Bc,Dc,_c,Ac,Mc,Rc,Ic,Nc,Lc,zc={},Oc={},Vc=function(e,t,n){n.x=t.x-e.x,n.y=t.y-e.y,n.len=Math.sqrt(n.x*n.x+n.y*n.y),n.nx=n.x/n.len,n.ny=n.y/n.len,n.ang=Math.atan2(n.ny,n.nx)},Fc=function(e,t,n,r,a){var i,o;if(e!==Lc?Vc(t,e,zc):((o=zc).x=-1*(i=Oc).x,o.y=-1*i.y,o.nx=-1*i.nx,o.ny=-1*i.ny,o.ang=i.ang>0?-(Math.PI-i.ang):Math.PI+i.ang),Vc(t,n,Oc),Ec=zc.nx*Oc.ny-zc.ny*Oc.nx,kc=zc.nx*Oc.nx-zc.ny*-Oc.ny,Pc=Math.asin(Math.max(-1,Math.min(1,Ec))),Math.abs(Pc)<1e-6)return xc=t.x,wc=t.y,void(Bc=_c=0);Tc=1,Cc=!1,kc<0?Pc<0?Pc=Math.PI+Pc:(Pc=Math.PI-Pc,Tc=-1,Cc=!0):Pc>0&&(Tc=-1,Cc=!0),_c=void 0!==t.radius?t.radius:r,Sc=Pc/2,Ac=Math.min(zc.len/2,Oc.len/2),a?(Dc=Math.abs(Math.cos(Sc)*_c/Math.sin(Sc)))>Ac?(Dc=Ac,Bc=Math.abs(Dc*Math.sin(Sc)/Math.cos(Sc))):Bc=_c:(Dc=Math.min(Ac,_c),Bc=Math.abs(Dc*Math.sin(Sc)/Math.cos(Sc))),Ic=t.x+Oc.nx*Dc,Nc=t.y+Oc.ny*Dc,xc=Ic-Oc.ny*Bc*Tc,wc=Nc+Oc.nx*Bc*Tc,Mc=t.x+zc.nx*Dc,Rc=t.y+zc.ny*Dc,Lc=t};function Xc(e,t){0===t.radius?e.lineTo(t.cx,t.cy):e.arc(t.cx,t.cy,t.radius,t.startAngle,t.endAngle,t.counterClockwise)}function jc(e,t,n,r){var a=!(arguments.length>4&&void 0!==arguments[4])||arguments[4];return 0===r||0===t.radius?{cx:t.x,cy:t.y,radius:0,startX:t.x,startY:t.y,stopX:t.x,stopY:t.y,startAngle:void 0,endAngle:void 0,counterClockwise:void 0}:(Fc(e,t,n,r,a),{cx:xc,cy:wc,radius:Bc,startX:Mc,startY:Rc,stopX:Ic,stopY:Nc,startAngle:zc.ang+Math.PI/2*Tc,endAngle:Oc.ang-Math.PI/2*Tc,counterClockwise:Cc})}var Yc=.01,qc=Math.sqrt(.02),Wc={};function Uc(e){var t=[];if(null!=e){for(var n=0;n<e.length;n+=2){var r=e[n],a=e[n+1];t.push({x:r,y:a})}return t}}Wc.findMidptPtsEtc=function(e,t){var n,r=t.posPts,a=t.intersectionPts,o=t.vectorNormInverse,s=e.pstyle("source-endpoint"),l=e.pstyle("target-endpoint"),u=null!=s.units&&null!=l.units;switch(e.pstyle("edge-distances").value){case"node-position":n=r;break;case"intersection":n=a;break;case"endpoints":if(u){var c=i(this.manualEndptToPx(e.source()[0],s),2),d=c[0],h=c[1],f=i(this.manualEndptToPx(e.target()[0],l),2),p=f[0],g=f[1],v={x1:d,y1:h,x2:p,y2:g};o=function(e,t,n,r){var a=r-t,i=n-e,o=Math.sqrt(i*i+a*a);return{x:-a/o,y:i/o}}(d,h,p,g),n=v}else it("Edge ".concat(e.id()," has edge-distances:endpoints specified without manual endpoints specified via source-endpoint and target-endpoint.  Falling back on edge-distances:intersection (default).")),n=a}return{midptPts:n,vectorNormInverse:o}},Wc.findHaystackPoints=function(e){for(var t=0;t<e.length;t++){var n=e[t],r=n._private,a=r.rscratch;if(!a.haystack){var i=2*Math.random()*Math.PI;a.source={x:Math.cos(i),y:Math.sin(i)},i=2*Math.random()*Math.PI,a.target={x:Math.cos(i),y:Math.sin(i)}}var o=r.source,s=r.target,l=o.position(),u=s.position(),c=o.width(),d=s.width(),h=o.height(),f=s.height(),p=n.pstyle("haystack-radius").value/2;a.haystackPts=a.allpts=[a.source.x*c*p+l.x,a.source.y*h*p+l.y,a.target.x*d*p+u.x,a.target.y*f*p+u.y],a.midX=(a.allpts[0]+a.allpts[2])/2,a.midY=(a.allpts[1]+a.allpts[3])/2,a.edgeType="haystack",a.haystack=!0,this.storeEdgeProjections(n),this.calculateArrowAngles(n),this.recalculateEdgeLabelProjections(n),this.calculateLabelAngles(n)}},Wc.findSegmentsPoints=function(e,t){var n=e._private.rscratch,r=e.pstyle("segment-weights"),a=e.pstyle("segment-distances"),i=e.pstyle("segment-radii"),o=e.pstyle("radius-type"),s=Math.min(r.pfValue.length,a.pfValue.length),l=i.pfValue[i.pfValue.length-1],u=o.pfValue[o.pfValue.length-1];n.edgeType="segments",n.segpts=[],n.radii=[],n.isArcRadius=[];for(var c=0;c<s;c++){var d=r.pfValue[c],h=a.pfValue[c],f=1-d,p=d,g=this.findMidptPtsEtc(e,t),v=g.midptPts,y=g.vectorNormInverse,m={x:v.x1*f+v.x2*p,y:v.y1*f+v.y2*p};n.segpts.push(m.x+y.x*h,m.y+y.y*h),n.radii.push(void 0!==i.pfValue[c]?i.pfValue[c]:l),n.isArcRadius.push("arc-radius"===(void 0!==o.pfValue[c]?o.pfValue[c]:u))}},Wc.findLoopPoints=function(e,t,n,r){var a=e._private.rscratch,i=t.dirCounts,o=t.srcPos,s=e.pstyle("control-point-distances"),l=s?s.pfValue[0]:void 0,u=e.pstyle("loop-direction").pfValue,c=e.pstyle("loop-sweep").pfValue,d=e.pstyle("control-point-step-size").pfValue;a.edgeType="self";var h=n,f=d;r&&(h=0,f=l);var p=u-Math.PI/2,g=p-c/2,v=p+c/2,y=String(u+"_"+c);h=void 0===i[y]?i[y]=0:++i[y],a.ctrlpts=[o.x+1.4*Math.cos(g)*f*(h/3+1),o.y+1.4*Math.sin(g)*f*(h/3+1),o.x+1.4*Math.cos(v)*f*(h/3+1),o.y+1.4*Math.sin(v)*f*(h/3+1)]},Wc.findCompoundLoopPoints=function(e,t,n,r){var a=e._private.rscratch;a.edgeType="compound";var i=t.srcPos,o=t.tgtPos,s=t.srcW,l=t.srcH,u=t.tgtW,c=t.tgtH,d=e.pstyle("control-point-step-size").pfValue,h=e.pstyle("control-point-distances"),f=h?h.pfValue[0]:void 0,p=n,g=d;r&&(p=0,g=f);var v={x:i.x-s/2,y:i.y-l/2},y={x:o.x-u/2,y:o.y-c/2},m={x:Math.min(v.x,y.x),y:Math.min(v.y,y.y)},b=Math.max(.5,Math.log(s*Yc)),x=Math.max(.5,Math.log(u*Yc));a.ctrlpts=[m.x,m.y-(1+Math.pow(50,1.12)/100)*g*(p/3+1)*b,m.x-(1+Math.pow(50,1.12)/100)*g*(p/3+1)*x,m.y]},Wc.findStraightEdgePoints=function(e){e._private.rscratch.edgeType="straight"},Wc.findBezierPoints=function(e,t,n,r,a){var i=e._private.rscratch,o=e.pstyle("control-point-step-size").pfValue,s=e.pstyle("control-point-distances"),l=e.pstyle("control-point-weights"),u=s&&l?Math.min(s.value.length,l.value.length):1,c=s?s.pfValue[0]:void 0,d=l.value[0],h=r;i.edgeType=h?"multibezier":"bezier",i.ctrlpts=[];for(var f=0;f<u;f++){var p=(.5-t.eles.length/2+n)*o*(a?-1:1),g=void 0,v=Kt(p);h&&(c=s?s.pfValue[f]:o,d=l.value[f]);var y=void 0!==(g=r?c:void 0!==c?v*c:void 0)?g:p,m=1-d,b=d,x=this.findMidptPtsEtc(e,t),w=x.midptPts,E=x.vectorNormInverse,k={x:w.x1*m+w.x2*b,y:w.y1*m+w.y2*b};i.ctrlpts.push(k.x+E.x*y,k.y+E.y*y)}},Wc.findTaxiPoints=function(e,t){var n=e._private.rscratch;n.edgeType="segments";var r="vertical",a="horizontal",i="leftward",o="rightward",s="downward",l="upward",u=t.posPts,c=t.srcW,d=t.srcH,h=t.tgtW,f=t.tgtH,p="node-position"!==e.pstyle("edge-distances").value,g=e.pstyle("taxi-direction").value,v=g,y=e.pstyle("taxi-turn"),m="%"===y.units,b=y.pfValue,x=b<0,w=e.pstyle("taxi-turn-min-distance").pfValue,E=p?(c+h)/2:0,k=p?(d+f)/2:0,T=u.x2-u.x1,C=u.y2-u.y1,P=function(e,t){return e>0?Math.max(e-t,0):Math.min(e+t,0)},S=P(T,E),B=P(C,k),D=!1;"auto"===v?g=Math.abs(S)>Math.abs(B)?a:r:v===l||v===s?(g=r,D=!0):v!==i&&v!==o||(g=a,D=!0);var _,A=g===r,M=A?B:S,R=A?C:T,I=Kt(R),N=!1;(D&&(m||x)||!(v===s&&R<0||v===l&&R>0||v===i&&R>0||v===o&&R<0)||(M=(I*=-1)*Math.abs(M),N=!0),m)?_=(b<0?1+b:b)*M:_=(b<0?M:0)+b*I;var L=function(e){return Math.abs(e)<w||Math.abs(e)>=Math.abs(M)},z=L(_),O=L(Math.abs(M)-Math.abs(_));if((z||O)&&!N)if(A){var V=Math.abs(R)<=d/2,F=Math.abs(T)<=h/2;if(V){var X=(u.x1+u.x2)/2,j=u.y1,Y=u.y2;n.segpts=[X,j,X,Y]}else if(F){var q=(u.y1+u.y2)/2,W=u.x1,U=u.x2;n.segpts=[W,q,U,q]}else n.segpts=[u.x1,u.y2]}else{var H=Math.abs(R)<=c/2,K=Math.abs(C)<=f/2;if(H){var G=(u.y1+u.y2)/2,Z=u.x1,$=u.x2;n.segpts=[Z,G,$,G]}else if(K){var Q=(u.x1+u.x2)/2,J=u.y1,ee=u.y2;n.segpts=[Q,J,Q,ee]}else n.segpts=[u.x2,u.y1]}else if(A){var te=u.y1+_+(p?d/2*I:0),ne=u.x1,re=u.x2;n.segpts=[ne,te,re,te]}else{var ae=u.x1+_+(p?c/2*I:0),ie=u.y1,oe=u.y2;n.segpts=[ae,ie,ae,oe]}if(n.isRound){var se=e.pstyle("taxi-radius").value,le="arc-radius"===e.pstyle("radius-type").value[0];n.radii=new Array(n.segpts.length/2).fill(se),n.isArcRadius=new Array(n.segpts.length/2).fill(le)}},Wc.tryToCorrectInvalidPoints=function(e,t){var n=e._private.rscratch;if("bezier"===n.edgeType){var r=t.srcPos,a=t.tgtPos,i=t.srcW,o=t.srcH,s=t.tgtW,l=t.tgtH,u=t.srcShape,c=t.tgtShape,d=t.srcCornerRadius,h=t.tgtCornerRadius,f=t.srcRs,p=t.tgtRs,g=!G(n.startX)||!G(n.startY),v=!G(n.arrowStartX)||!G(n.arrowStartY),y=!G(n.endX)||!G(n.endY),m=!G(n.arrowEndX)||!G(n.arrowEndY),b=3*(this.getArrowWidth(e.pstyle("width").pfValue,e.pstyle("arrow-scale").value)*this.arrowShapeWidth),x=Gt({x:n.ctrlpts[0],y:n.ctrlpts[1]},{x:n.startX,y:n.startY}),w=x<b,E=Gt({x:n.ctrlpts[0],y:n.ctrlpts[1]},{x:n.endX,y:n.endY}),k=E<b,T=!1;if(g||v||w){T=!0;var C={x:n.ctrlpts[0]-r.x,y:n.ctrlpts[1]-r.y},P=Math.sqrt(C.x*C.x+C.y*C.y),S={x:C.x/P,y:C.y/P},B=Math.max(i,o),D={x:n.ctrlpts[0]+2*S.x*B,y:n.ctrlpts[1]+2*S.y*B},_=u.intersectLine(r.x,r.y,i,o,D.x,D.y,0,d,f);w?(n.ctrlpts[0]=n.ctrlpts[0]+S.x*(b-x),n.ctrlpts[1]=n.ctrlpts[1]+S.y*(b-x)):(n.ctrlpts[0]=_[0]+S.x*b,n.ctrlpts[1]=_[1]+S.y*b)}if(y||m||k){T=!0;var A={x:n.ctrlpts[0]-a.x,y:n.ctrlpts[1]-a.y},M=Math.sqrt(A.x*A.x+A.y*A.y),R={x:A.x/M,y:A.y/M},I=Math.max(i,o),N={x:n.ctrlpts[0]+2*R.x*I,y:n.ctrlpts[1]+2*R.y*I},L=c.intersectLine(a.x,a.y,s,l,N.x,N.y,0,h,p);k?(n.ctrlpts[0]=n.ctrlpts[0]+R.x*(b-E),n.ctrlpts[1]=n.ctrlpts[1]+R.y*(b-E)):(n.ctrlpts[0]=L[0]+R.x*b,n.ctrlpts[1]=L[1]+R.y*b)}T&&this.findEndpoints(e)}},Wc.storeAllpts=function(e){var t=e._private.rscratch;if("multibezier"===t.edgeType||"bezier"===t.edgeType||"self"===t.edgeType||"compound"===t.edgeType){t.allpts=[],t.allpts.push(t.startX,t.startY);for(var n=0;n+1<t.ctrlpts.length;n+=2)t.allpts.push(t.ctrlpts[n],t.ctrlpts[n+1]),n+3<t.ctrlpts.length&&t.allpts.push((t.ctrlpts[n]+t.ctrlpts[n+2])/2,(t.ctrlpts[n+1]+t.ctrlpts[n+3])/2);var r;t.allpts.push(t.endX,t.endY),t.ctrlpts.length/2%2==0?(r=t.allpts.length/2-1,t.midX=t.allpts[r],t.midY=t.allpts[r+1]):(r=t.allpts.length/2-3,t.midX=Qt(t.allpts[r],t.allpts[r+2],t.allpts[r+4],.5),t.midY=Qt(t.allpts[r+1],t.allpts[r+3],t.allpts[r+5],.5))}else if("straight"===t.edgeType)t.allpts=[t.startX,t.startY,t.endX,t.endY],t.midX=(t.startX+t.endX+t.arrowStartX+t.arrowEndX)/4,t.midY=(t.startY+t.endY+t.arrowStartY+t.arrowEndY)/4;else if("segments"===t.edgeType){if(t.allpts=[],t.allpts.push(t.startX,t.startY),t.allpts.push.apply(t.allpts,t.segpts),t.allpts.push(t.endX,t.endY),t.isRound){t.roundCorners=[];for(var a=2;a+3<t.allpts.length;a+=2){var i=t.radii[a/2-1],o=t.isArcRadius[a/2-1];t.roundCorners.push(jc({x:t.allpts[a-2],y:t.allpts[a-1]},{x:t.allpts[a],y:t.allpts[a+1],radius:i},{x:t.allpts[a+2],y:t.allpts[a+3]},i,o))}}if(t.segpts.length%4==0){var s=t.segpts.length/2,l=s-2;t.midX=(t.segpts[l]+t.segpts[s])/2,t.midY=(t.segpts[l+1]+t.segpts[s+1])/2}else{var u=t.segpts.length/2-1;if(t.isRound){var c={x:t.segpts[u],y:t.segpts[u+1]},d=t.roundCorners[u/2];if(0===d.radius){var h={x:t.segpts[u+2],y:t.segpts[u+3]};t.midX=c.x,t.midY=c.y,t.midVector=[c.y-h.y,h.x-c.x]}else{var f=[c.x-d.cx,c.y-d.cy],p=d.radius/Math.sqrt(Math.pow(f[0],2)+Math.pow(f[1],2));f=f.map((function(e){return e*p})),t.midX=d.cx+f[0],t.midY=d.cy+f[1],t.midVector=f}}else t.midX=t.segpts[u],t.midY=t.segpts[u+1]}}},Wc.checkForInvalidEdgeWarning=function(e){var t=e[0]._private.rscratch;t.nodesOverlap||G(t.startX)&&G(t.startY)&&G(t.endX)&&G(t.endY)?t.loggedErr=!1:t.loggedErr||(t.loggedErr=!0,it("Edge `"+e.id()+"` has invalid endpoints and so it is impossible to draw.  Adjust your edge style (e.g. control points) accordingly or use an alternative edge type.  This is expected behaviour when the source node and the target node overlap."))},Wc.findEdgeControlPoints=function(e){var t=this;if(e&&0!==e.length){for(var n=this,r=n.cy.hasCompoundNodes(),a=new gt,i=function(e,t){return[].concat(o(e),[t?1:0]).join("-")},s=[],l=[],u=0;u<e.length;u++){var c=e[u],d=c._private,h=c.pstyle("curve-style").value;if(!c.removed()&&c.takesUpSpace())if("haystack"!==h){var f="unbundled-bezier"===h||ce(h,"segments")||"straight"===h||"straight-triangle"===h||ce(h,"taxi"),p="unbundled-bezier"===h||"bezier"===h,g=d.source,v=d.target,y=[g.poolIndex(),v.poolIndex()].sort(),m=i(y,f),b=a.get(m);null==b&&(b={eles:[]},s.push({pairId:y,edgeIsUnbundled:f}),a.set(m,b)),b.eles.push(c),f&&(b.hasUnbundled=!0),p&&(b.hasBezier=!0)}else l.push(c)}for(var x=function(){var e,o=s[w],l=o.pairId,u=o.edgeIsUnbundled,c=i(l,u),d=a.get(c);if(!d.hasUnbundled){var h=d.eles[0].parallelEdges().filter((function(e){return e.isBundledBezier()}));ht(d.eles),h.forEach((function(e){return d.eles.push(e)})),d.eles.sort((function(e,t){return e.poolIndex()-t.poolIndex()}))}var f=d.eles[0],p=f.source(),g=f.target();if(p.poolIndex()>g.poolIndex()){var v=p;p=g,g=v}var y=d.srcPos=p.position(),m=d.tgtPos=g.position(),b=d.srcW=p.outerWidth(),x=d.srcH=p.outerHeight(),E=d.tgtW=g.outerWidth(),k=d.tgtH=g.outerHeight(),T=d.srcShape=n.nodeShapes[t.getNodeShape(p)],C=d.tgtShape=n.nodeShapes[t.getNodeShape(g)],P=d.srcCornerRadius="auto"===p.pstyle("corner-radius").value?"auto":p.pstyle("corner-radius").pfValue,S=d.tgtCornerRadius="auto"===g.pstyle("corner-radius").value?"auto":g.pstyle("corner-radius").pfValue,B=d.tgtRs=g._private.rscratch,D=d.srcRs=p._private.rscratch;d.dirCounts={north:0,west:0,south:0,east:0,northwest:0,southwest:0,northeast:0,southeast:0};for(var _=0;_<d.eles.length;_++){var A=d.eles[_],M=A[0]._private.rscratch,R=A.pstyle("curve-style").value,I="unbundled-bezier"===R||ce(R,"segments")||ce(R,"taxi"),N=!p.same(A.source());if(!d.calculatedIntersection&&p!==g&&(d.hasBezier||d.hasUnbundled)){d.calculatedIntersection=!0;var L=T.intersectLine(y.x,y.y,b,x,m.x,m.y,0,P,D),z=d.srcIntn=L,O=C.intersectLine(m.x,m.y,E,k,y.x,y.y,0,S,B),V=d.tgtIntn=O,F=d.intersectionPts={x1:L[0],x2:O[0],y1:L[1],y2:O[1]},X=d.posPts={x1:y.x,x2:m.x,y1:y.y,y2:m.y},j=O[1]-L[1],Y=O[0]-L[0],q=Math.sqrt(Y*Y+j*j);G(q)&&q>=qc||(q=Math.sqrt(Math.max(Y*Y,Yc)+Math.max(j*j,Yc)));var W=d.vector={x:Y,y:j},U=d.vectorNorm={x:W.x/q,y:W.y/q},H={x:-U.y,y:U.x};d.nodesOverlap=!G(q)||C.checkPoint(L[0],L[1],0,E,k,m.x,m.y,S,B)||T.checkPoint(O[0],O[1],0,b,x,y.x,y.y,P,D),d.vectorNormInverse=H,e={nodesOverlap:d.nodesOverlap,dirCounts:d.dirCounts,calculatedIntersection:!0,hasBezier:d.hasBezier,hasUnbundled:d.hasUnbundled,eles:d.eles,srcPos:m,srcRs:B,tgtPos:y,tgtRs:D,srcW:E,srcH:k,tgtW:b,tgtH:x,srcIntn:V,tgtIntn:z,srcShape:C,tgtShape:T,posPts:{x1:X.x2,y1:X.y2,x2:X.x1,y2:X.y1},intersectionPts:{x1:F.x2,y1:F.y2,x2:F.x1,y2:F.y1},vector:{x:-W.x,y:-W.y},vectorNorm:{x:-U.x,y:-U.y},vectorNormInverse:{x:-H.x,y:-H.y}}}var K=N?e:d;M.nodesOverlap=K.nodesOverlap,M.srcIntn=K.srcIntn,M.tgtIntn=K.tgtIntn,M.isRound=R.startsWith("round"),r&&(p.isParent()||p.isChild()||g.isParent()||g.isChild())&&(p.parents().anySame(g)||g.parents().anySame(p)||p.same(g)&&p.isParent())?t.findCompoundLoopPoints(A,K,_,I):p===g?t.findLoopPoints(A,K,_,I):R.endsWith("segments")?t.findSegmentsPoints(A,K):R.endsWith("taxi")?t.findTaxiPoints(A,K):"straight"===R||!I&&d.eles.length%2==1&&_===Math.floor(d.eles.length/2)?t.findStraightEdgePoints(A):t.findBezierPoints(A,K,_,I,N),t.findEndpoints(A),t.tryToCorrectInvalidPoints(A,K),t.checkForInvalidEdgeWarning(A),t.storeAllpts(A),t.storeEdgeProjections(A),t.calculateArrowAngles(A),t.recalculateEdgeLabelProjections(A),t.calculateLabelAngles(A)}},w=0;w<s.length;w++)x();this.findHaystackPoints(l)}},Wc.getSegmentPoints=function(e){var t=e[0]._private.rscratch;if(this.recalculateRenderedStyle(e),"segments"===t.edgeType)return Uc(t.segpts)},Wc.getControlPoints=function(e){var t=e[0]._private.rscratch;this.recalculateRenderedStyle(e);var n=t.edgeType;if("bezier"===n||"multibezier"===n||"self"===n||"compound"===n)return Uc(t.ctrlpts)},Wc.getEdgeMidpoint=function(e){var t=e[0]._private.rscratch;return this.recalculateRenderedStyle(e),{x:t.midX,y:t.midY}};var Hc={manualEndptToPx:function(e,t){var n=e.position(),r=e.outerWidth(),a=e.outerHeight(),i=e._private.rscratch;if(2===t.value.length){var o=[t.pfValue[0],t.pfValue[1]];return"%"===t.units[0]&&(o[0]=o[0]*r),"%"===t.units[1]&&(o[1]=o[1]*a),o[0]+=n.x,o[1]+=n.y,o}var s=t.pfValue[0];s=-Math.PI/2+s;var l=2*Math.max(r,a),u=[n.x+Math.cos(s)*l,n.y+Math.sin(s)*l];return this.nodeShapes[this.getNodeShape(e)].intersectLine(n.x,n.y,r,a,u[0],u[1],0,"auto"===e.pstyle("corner-radius").value?"auto":e.pstyle("corner-radius").pfValue,i)},findEndpoints:function(e){var t,n,r,a,i,o,s,l,u,c=this,d=e.source()[0],h=e.target()[0],f=d.position(),p=h.position(),g=e.pstyle("target-arrow-shape").value,v=e.pstyle("source-arrow-shape").value,y=e.pstyle("target-distance-from-node").pfValue,m=e.pstyle("source-distance-from-node").pfValue,b=d._private.rscratch,x=h._private.rscratch,w=e.pstyle("curve-style").value,E=e._private.rscratch,k=E.edgeType,T=ce(w,"taxi"),C="self"===k||"compound"===k,P="bezier"===k||"multibezier"===k||C,S="bezier"!==k,B="straight"===k||"segments"===k,D="segments"===k,_=P||S||B,A=C||T,M=e.pstyle("source-endpoint"),R=A?"outside-to-node":M.value,I="auto"===d.pstyle("corner-radius").value?"auto":d.pstyle("corner-radius").pfValue,N=e.pstyle("target-endpoint"),L=A?"outside-to-node":N.value,z="auto"===h.pstyle("corner-radius").value?"auto":h.pstyle("corner-radius").pfValue;E.srcManEndpt=M,E.tgtManEndpt=N;var O=null!==(t=2===(null==N||null===(n=N.pfValue)||void 0===n?void 0:n.length)?N.pfValue:null)&&void 0!==t?t:[0,0],V=null!==(r=2===(null==M||null===(a=M.pfValue)||void 0===a?void 0:a.length)?M.pfValue:null)&&void 0!==r?r:[0,0];if(P){var F=[E.ctrlpts[0],E.ctrlpts[1]];o=S?[E.ctrlpts[E.ctrlpts.length-2],E.ctrlpts[E.ctrlpts.length-1]]:F,s=F}else if(B){var X=D?E.segpts.slice(0,2):[p.x+O[0],p.y+O[1]];o=D?E.segpts.slice(E.segpts.length-2):[f.x+V[0],f.y+V[1]],s=X}if("inside-to-node"===L)i=[p.x,p.y];else if(N.units)i=this.manualEndptToPx(h,N);else if("outside-to-line"===L)i=E.tgtIntn;else if("outside-to-node"===L||"outside-to-node-or-label"===L?l=o:"outside-to-line"!==L&&"outside-to-line-or-label"!==L||(l=[f.x,f.y]),i=c.nodeShapes[this.getNodeShape(h)].intersectLine(p.x,p.y,h.outerWidth(),h.outerHeight(),l[0],l[1],0,z,x),"outside-to-node-or-label"===L||"outside-to-line-or-label"===L){var j=h._private.rscratch,Y=j.labelWidth,q=j.labelHeight,W=j.labelX,U=j.labelY,H=Y/2,K=q/2,Z=h.pstyle("text-valign").value;"top"===(Z=Ds(Z))?U-=K:"bottom"===Z&&(U+=K);var $=h.pstyle("text-halign").value;"left"===($=Bs($))?W-=H:"right"===$&&(W+=H);var Q=Sn(l[0],l[1],[W-H,U-K,W+H,U-K,W+H,U+K,W-H,U+K],p.x,p.y);if(Q.length>0){var J=f,ee=Zt(J,qt(i)),te=Zt(J,qt(Q)),ne=ee;if(te<ee&&(i=Q,ne=te),Q.length>2)Zt(J,{x:Q[2],y:Q[3]})<ne&&(i=[Q[2],Q[3]])}}var re=Bn(i,o,c.arrowShapes[g].spacing(e)+y),ae=Bn(i,o,c.arrowShapes[g].gap(e)+y);if(E.endX=ae[0],E.endY=ae[1],E.arrowEndX=re[0],E.arrowEndY=re[1],"inside-to-node"===R)i=[f.x,f.y];else if(M.units)i=this.manualEndptToPx(d,M);else if("outside-to-line"===R)i=E.srcIntn;else if("outside-to-node"===R||"outside-to-node-or-label"===R?u=s:"outside-to-line"!==R&&"outside-to-line-or-label"!==R||(u=[p.x,p.y]),i=c.nodeShapes[this.getNodeShape(d)].intersectLine(f.x,f.y,d.outerWidth(),d.outerHeight(),u[0],u[1],0,I,b),"outside-to-node-or-label"===R||"outside-to-line-or-label"===R){var ie=d._private.rscratch,oe=ie.labelWidth,se=ie.labelHeight,le=ie.labelX,ue=ie.labelY,de=oe/2,he=se/2,fe=d.pstyle("text-valign").value;"top"===(fe=Ds(fe))?ue-=he:"bottom"===fe&&(ue+=he);var pe=d.pstyle("text-halign").value;"left"===(pe=Bs(pe))?le-=de:"right"===pe&&(le+=de);var ge=Sn(u[0],u[1],[le-de,ue-he,le+de,ue-he,le+de,ue+he,le-de,ue+he],f.x,f.y);if(ge.length>0){var ve=p,ye=Zt(ve,qt(i)),me=Zt(ve,qt(ge)),be=ye;if(me<ye&&(i=[ge[0],ge[1]],be=me),ge.length>2)Zt(ve,{x:ge[2],y:ge[3]})<be&&(i=[ge[2],ge[3]])}}var xe=Bn(i,s,c.arrowShapes[v].spacing(e)+m),we=Bn(i,s,c.arrowShapes[v].gap(e)+m);E.startX=we[0],E.startY=we[1],E.arrowStartX=xe[0],E.arrowStartY=xe[1],_&&(G(E.startX)&&G(E.startY)&&G(E.endX)&&G(E.endY)?E.badLine=!1:E.badLine=!0)},getSourceEndpoint:function(e){var t=e[0]._private.rscratch;return this.recalculateRenderedStyle(e),"haystack"===t.edgeType?{x:t.haystackPts[0],y:t.haystackPts[1]}:{x:t.arrowStartX,y:t.arrowStartY}},getTargetEndpoint:function(e){var t=e[0]._private.rscratch;return this.recalculateRenderedStyle(e),"haystack"===t.edgeType?{x:t.haystackPts[2],y:t.haystackPts[3]}:{x:t.arrowEndX,y:t.arrowEndY}}},Kc={};function Gc(e,t,n){for(var r=function(e,t,n,r){return Qt(e,t,n,r)},a=t._private.rstyle.bezierPts,i=0;i<e.bezierProjPcts.length;i++){var o=e.bezierProjPcts[i];a.push({x:r(n[0],n[2],n[4],o),y:r(n[1],n[3],n[5],o)})}}Kc.storeEdgeProjections=function(e){var t=e._private,n=t.rscratch,r=n.edgeType;if(t.rstyle.bezierPts=null,t.rstyle.linePts=null,t.rstyle.haystackPts=null,"multibezier"===r||"bezier"===r||"self"===r||"compound"===r){t.rstyle.bezierPts=[];for(var a=0;a+5<n.allpts.length;a+=4)Gc(this,e,n.allpts.slice(a,a+6))}else if("segments"===r){var i=t.rstyle.linePts=[];for(a=0;a+1<n.allpts.length;a+=2)i.push({x:n.allpts[a],y:n.allpts[a+1]})}else if("haystack"===r){var o=n.haystackPts;t.rstyle.haystackPts=[{x:o[0],y:o[1]},{x:o[2],y:o[3]}]}t.rstyle.arrowWidth=this.getArrowWidth(e.pstyle("width").pfValue,e.pstyle("arrow-scale").value)*this.arrowShapeWidth},Kc.recalculateEdgeProjections=function(e){this.findEdgeControlPoints(e)};var Zc={recalculateNodeLabelProjection:function(e){var t=e.pstyle("label").strValue;if(!re(t)){var n,r,a=e._private,i=e.width(),o=e.height(),s=e.padding(),l=e.position(),u=e.pstyle("text-halign").strValue,c=e.pstyle("text-valign").strValue,d=a.rscratch,h=a.rstyle;switch(u){case"left":n=l.x-i/2-s;break;case"left-inside":n=l.x-i/2+s;break;case"right":n=l.x+i/2+s;break;case"right-inside":n=l.x+i/2-s;break;default:n=l.x}switch(c){case"top":r=l.y-o/2-s;break;case"top-inside":r=l.y-o/2+s;break;case"bottom":r=l.y+o/2+s;break;case"bottom-inside":r=l.y+o/2-s;break;default:r=l.y}d.labelX=n,d.labelY=r,h.labelX=n,h.labelY=r,this.calculateLabelAngles(e),this.applyLabelDimensions(e)}}},$c=function(e,t){var n=Math.atan(t/e);return 0===e&&n<0&&(n*=-1),n},Qc=function(e,t){var n=t.x-e.x,r=t.y-e.y;return $c(n,r)};Zc.recalculateEdgeLabelProjections=function(e){var t,n=e._private,r=n.rscratch,a=this,i={mid:e.pstyle("label").strValue,source:e.pstyle("source-label").strValue,target:e.pstyle("target-label").strValue};if(i.mid||i.source||i.target){t={x:r.midX,y:r.midY};var o=function(e,t,r){pt(n.rscratch,e,t,r),pt(n.rstyle,e,t,r)};o("labelX",null,t.x),o("labelY",null,t.y);var s=$c(r.midDispX,r.midDispY);o("labelAutoAngle",null,s);var l=function(){if(l.cache)return l.cache;for(var e=[],t=0;t+5<r.allpts.length;t+=4){var i={x:r.allpts[t],y:r.allpts[t+1]},o={x:r.allpts[t+2],y:r.allpts[t+3]},s={x:r.allpts[t+4],y:r.allpts[t+5]};e.push({p0:i,p1:o,p2:s,startDist:0,length:0,segments:[]})}var u=n.rstyle.bezierPts,c=a.bezierProjPcts.length;function d(e,t,n,r,a){var i=Gt(t,n),o=e.segments[e.segments.length-1],s={p0:t,p1:n,t0:r,t1:a,startDist:o?o.startDist+o.length:0,length:i};e.segments.push(s),e.length+=i}for(var h=0;h<e.length;h++){var f=e[h],p=e[h-1];p&&(f.startDist=p.startDist+p.length),d(f,f.p0,u[h*c],0,a.bezierProjPcts[0]);for(var g=0;g<c-1;g++)d(f,u[h*c+g],u[h*c+g+1],a.bezierProjPcts[g],a.bezierProjPcts[g+1]);d(f,u[h*c+c-1],f.p2,a.bezierProjPcts[c-1],1)}return l.cache=e},u=function(n){var a,s="source"===n;if(i[n]){var u=e.pstyle(n+"-text-offset").pfValue;switch(r.edgeType){case"self":case"compound":case"bezier":case"multibezier":for(var c,d=l(),h=0,f=0,p=0;p<d.length;p++){for(var g=d[s?p:d.length-1-p],v=0;v<g.segments.length;v++){var y=g.segments[s?v:g.segments.length-1-v],m=p===d.length-1&&v===g.segments.length-1;if(h=f,(f+=y.length)>=u||m){c={cp:g,segment:y};break}}if(c)break}var b=c.cp,x=c.segment,w=(u-h)/x.length,E=x.t1-x.t0,k=s?x.t0+E*w:x.t1-E*w;k=en(0,k,1),t=Jt(b.p0,b.p1,b.p2,k),a=function(e,t,n,r){var a=en(0,r-.001,1),i=en(0,r+.001,1),o=Jt(e,t,n,a),s=Jt(e,t,n,i);return Qc(o,s)}(b.p0,b.p1,b.p2,k);break;case"straight":case"segments":case"haystack":for(var T,C,P,S,B=0,D=r.allpts.length,_=0;_+3<D&&(s?(P={x:r.allpts[_],y:r.allpts[_+1]},S={x:r.allpts[_+2],y:r.allpts[_+3]}):(P={x:r.allpts[D-2-_],y:r.allpts[D-1-_]},S={x:r.allpts[D-4-_],y:r.allpts[D-3-_]}),C=B,!((B+=T=Gt(P,S))>=u));_+=2);var A=(u-C)/T;A=en(0,A,1),t=function(e,t,n,r){var a=t.x-e.x,i=t.y-e.y,o=Gt(e,t),s=a/o,l=i/o;return n=null==n?0:n,r=null!=r?r:n*o,{x:e.x+s*r,y:e.y+l*r}}(P,S,A),a=Qc(P,S)}o("labelX",n,t.x),o("labelY",n,t.y),o("labelAutoAngle",n,a)}};u("source"),u("target"),this.applyLabelDimensions(e)}},Zc.applyLabelDimensions=function(e){this.applyPrefixedLabelDimensions(e),e.isEdge()&&(this.applyPrefixedLabelDimensions(e,"source"),this.applyPrefixedLabelDimensions(e,"target"))},Zc.applyPrefixedLabelDimensions=function(e,t){var n=e._private,r=this.getLabelText(e,t),a=We(r,e._private.labelDimsKey);if(ft(n.rscratch,"prefixedLabelDimsKey",t)!==a){pt(n.rscratch,"prefixedLabelDimsKey",t,a);var i=this.calculateLabelDimensions(e,r),o=e.pstyle("line-height").pfValue,s=e.pstyle("font-size").pfValue,l=e.pstyle("text-wrap").strValue,u=ft(n.rscratch,"labelWrapCachedLines",t)||[],c="wrap"!==l?1:Math.max(u.length,1),d=s*o,h=i.width,f=i.height+(c-1)*(o-1)*s;pt(n.rstyle,"labelWidth",t,h),pt(n.rscratch,"labelWidth",t,h),pt(n.rstyle,"labelHeight",t,f),pt(n.rscratch,"labelHeight",t,f),pt(n.rscratch,"labelLineHeight",t,d),pt(n.rscratch,"labelActualDescent",t,i.labelActualDescent)}},Zc.getLabelText=function(e,t){var n=e._private,a=t?t+"-":"",i=e.pstyle(a+"label").strValue,o=e.pstyle("text-transform").value,s=function(e,r){return r?(pt(n.rscratch,e,t,r),r):ft(n.rscratch,e,t)};if(!i)return"";"none"==o||("uppercase"==o?i=i.toUpperCase():"lowercase"==o&&(i=i.toLowerCase()));var l=e.pstyle("text-wrap").value;if("wrap"===l){var u=s("labelKey");if(null!=u&&s("labelWrapKey")===u)return s("labelWrapCachedText");for(var c=i.split("\n"),d=e.pstyle("text-max-width").pfValue,h="anywhere"===e.pstyle("text-overflow-wrap").value,f=[],p=/[\s\u200b]+|$/g,g=0;g<c.length;g++){var v=c[g],y=this.calculateLabelDimensions(e,v).width;if(h){var m=v.split("").join("\u200b");v=m}if(y>d){var b,x="",w=0,E=r(v.matchAll(p));try{for(E.s();!(b=E.n()).done;){var k=b.value,T=k[0],C=v.substring(w,k.index);w=k.index+T.length;var P=0===x.length?C:x+C+T;this.calculateLabelDimensions(e,P).width<=d?x+=C+T:(x&&f.push(x),x=C+T)}}catch(e){E.e(e)}finally{E.f()}x.match(/^[\s\u200b]+$/)||f.push(x)}else f.push(v)}s("labelWrapCachedLines",f),i=s("labelWrapCachedText",f.join("\n")),s("labelWrapKey",u)}else if("ellipsis"===l){var S=e.pstyle("text-max-width").pfValue,B="",D=!1;if(this.calculateLabelDimensions(e,i).width<S)return i;for(var _=0;_<i.length;_++){if(this.calculateLabelDimensions(e,B+i[_]+"\u2026").width>S)break;B+=i[_],_===i.length-1&&(D=!0)}return D||(B+="\u2026"),B}return i},Zc.getLabelJustification=function(e){var t=e.pstyle("text-justification").strValue,n=e.pstyle("text-halign").strValue;return"auto"===t?e.isNode()?function(e){switch(e){case"left":case"right-inside":return"right";case"right":case"left-inside":return"left";default:return"center"}}(n):"center":t},Zc.calculateLabelDimensions=function(e,t){var n=this.cy.window().document,r=e.pstyle("font-style").strValue,a=e.pstyle("font-size").pfValue,i=e.pstyle("font-family").strValue,o=e.pstyle("font-weight").strValue,s=e.pstyle("text-metrics").strValue||"font",l=this.labelCalcCanvas,u=this.labelCalcCanvasContext;if(!l){l=this.labelCalcCanvas=n.createElement("canvas"),u=this.labelCalcCanvasContext=l.getContext("2d");var c=l.style;c.position="absolute",c.left="-9999px",c.top="-9999px",c.zIndex="-1",c.visibility="hidden",c.pointerEvents="none"}u.font="".concat(r," ").concat(o," ").concat(a,"px ").concat(i);for(var d=0,h=0,f=t.split("\n"),p=f.length,g=0,v=0,y=0;y<p;y++){var m=f[y],b=u.measureText(m),x=Math.ceil(b.width),w=a;"glyph"===s&&(0===y&&(v=b.actualBoundingBoxAscent),y===p-1&&(g=b.actualBoundingBoxDescent)),d=Math.max(x,d),h+=w}return"glyph"===s&&(h-=a-v-g),{width:d+=0,height:h+=0,labelActualAscent:v,labelActualDescent:g}},Zc.calculateLabelAngle=function(e,t){var n=e._private.rscratch,r=e.isEdge(),a=t?t+"-":"",i=e.pstyle(a+"text-rotation"),o=i.strValue;return"none"===o?0:r&&"autorotate"===o?n.labelAutoAngle:"autorotate"===o?0:i.pfValue},Zc.calculateLabelAngles=function(e){var t=this,n=e.isEdge(),r=e._private.rscratch;r.labelAngle=t.calculateLabelAngle(e),n&&(r.sourceLabelAngle=t.calculateLabelAngle(e,"source"),r.targetLabelAngle=t.calculateLabelAngle(e,"target"))};var Jc={},ed=!1;Jc.getNodeShape=function(e){var t=e.pstyle("shape").value;if("cutrectangle"===t&&(e.width()<28||e.height()<28))return ed||(it("The `cutrectangle` node shape can not be used at small sizes so `rectangle` is used instead"),ed=!0),"rectangle";if(e.isParent())return"rectangle"===t||"roundrectangle"===t||"round-rectangle"===t||"cutrectangle"===t||"cut-rectangle"===t||"barrel"===t?t:"rectangle";if("polygon"===t){var n=e.pstyle("shape-polygon-points").value;return this.nodeShapes.makePolygon(n).name}return t};var td={registerCalculationListeners:function(){var e=this.cy,t=e.collection(),n=this,r=function(e){var n=!(arguments.length>1&&void 0!==arguments[1])||arguments[1];if(t.merge(e),n)for(var r=0;r<e.length;r++){var a=e[r]._private.rstyle;a.clean=!1,a.cleanConnected=!1}};n.binder(e).on("bounds.* dirty.*",(function(e){var t=e.target;r(t)})).on("style.* background.*",(function(e){var t=e.target;r(t,!1)}));var a=function(a){if(a){var i=n.onUpdateEleCalcsFns;t.cleanStyle();for(var o=0;o<t.length;o++){var s=t[o],l=s._private.rstyle;s.isNode()&&!l.cleanConnected&&(r(s.connectedEdges()),l.cleanConnected=!0)}if(i)for(var u=0;u<i.length;u++){(0,i[u])(a,t)}n.recalculateRenderedStyle(t),t=e.collection()}};n.flushRenderedStyleQueue=function(){a(!0)},n.beforeRender(a,n.beforeRenderPriorities.eleCalcs)},onUpdateEleCalcs:function(e){(this.onUpdateEleCalcsFns=this.onUpdateEleCalcsFns||[]).push(e)},recalculateRenderedStyle:function(e,t){var n=function(e){return e._private.rstyle.cleanConnected};if(0!==e.length){var r=[],a=[];if(!this.destroyed){void 0===t&&(t=!0);for(var i=0;i<e.length;i++){var o=e[i],s=o._private,l=s.rstyle;!o.isEdge()||n(o.source())&&n(o.target())||(l.clean=!1),o.isEdge()&&o.isBundledBezier()&&o.parallelEdges().some((function(e){return!e._private.rstyle.clean&&e.isBundledBezier()}))&&(l.clean=!1),t&&l.clean||o.removed()||"none"!==o.pstyle("display").value&&("nodes"===s.group?a.push(o):r.push(o),l.clean=!0)}for(var u=0;u<a.length;u++){var c=a[u],d=c._private.rstyle,h=c.position();this.recalculateNodeLabelProjection(c),d.nodeX=h.x,d.nodeY=h.y,d.nodeW=c.pstyle("width").pfValue,d.nodeH=c.pstyle("height").pfValue}this.recalculateEdgeProjections(r);for(var f=0;f<r.length;f++){var p=r[f]._private,g=p.rstyle,v=p.rscratch;g.srcX=v.arrowStartX,g.srcY=v.arrowStartY,g.tgtX=v.arrowEndX,g.tgtY=v.arrowEndY,g.midX=v.midX,g.midY=v.midY,g.labelAngle=v.labelAngle,g.sourceLabelAngle=v.sourceLabelAngle,g.targetLabelAngle=v.targetLabelAngle}}}}},nd={updateCachedGrabbedEles:function(){var e=this.cachedZSortedEles;if(e){e.drag=[],e.nondrag=[];for(var t=[],n=0;n<e.length;n++){var r=(a=e[n])._private.rscratch;a.grabbed()&&!a.isParent()?t.push(a):r.inDragLayer?e.drag.push(a):e.nondrag.push(a)}for(n=0;n<t.length;n++){var a=t[n];e.drag.push(a)}}},invalidateCachedZSortedEles:function(){this.cachedZSortedEles=null},getCachedZSortedEles:function(e){if(e||!this.cachedZSortedEles){var t=this.cy.mutableElements().toArray();t.sort(vl),t.interactive=t.filter((function(e){return e.interactive()})),this.cachedZSortedEles=t,this.updateCachedGrabbedEles()}else t=this.cachedZSortedEles;return t}},rd={};[mc,bc,Wc,Hc,Kc,Zc,Jc,td,nd].forEach((function(e){ye(rd,e)}));var ad={getCachedImage:function(e,t,n){var r=this.imageCache=this.imageCache||{},a=r[e];if(a)return a.image.complete||a.image.addEventListener("load",n),a.image;var i=(a=r[e]=r[e]||{}).image=new Image;i.addEventListener("load",n),i.addEventListener("error",(function(){i.error=!0}));var o="data:";return e.substring(0,5).toLowerCase()===o||(t="null"===t?null:t,i.crossOrigin=t),i.src=e,i}},id=function(e,t){var n=e[0];n&&n._private.grabbed!==t&&(n._private.grabbed=t,e.updateStyle(!1))},od={registerBinding:function(e,t,n,r){var a=Array.prototype.slice.apply(arguments,[1]);if(Array.isArray(e)){for(var i=[],o=0;o<e.length;o++){var s=e[o];if(void 0!==s){var l=this.binder(s);i.push(l.on.apply(l,a))}}return i}return(l=this.binder(e)).on.apply(l,a)}};od.binder=function(e){var t,n=this,r=n.cy.window(),a=e===r||e===r.document||e===r.document.body||(t=e,"undefined"!=typeof HTMLElement&&t instanceof HTMLElement);if(null==n.supportsPassiveEvents){var i=!1;try{var o=Object.defineProperty({},"passive",{get:function(){return i=!0,!0}});r.addEventListener("test",null,o)}catch(e){}n.supportsPassiveEvents=i}var s=function(t,r,i){var o=Array.prototype.slice.call(arguments);return a&&n.supportsPassiveEvents&&(o[2]={capture:null!=i&&i,passive:!1,once:!1}),n.bindings.push({target:e,args:o}),(e.addEventListener||e.on).apply(e,o),this};return{on:s,addEventListener:s,addListener:s,bind:s}},od.nodeIsDraggable=function(e){return e&&e.isNode()&&!e.locked()&&e.grabbable()},od.nodeIsGrabbable=function(e){return this.nodeIsDraggable(e)&&e.interactive()},od.load=function(){var e=this,t=e.cy.window(),n=function(e){return e.selected()},r=function(t,n,r,a){null==t&&(t=e.cy);for(var i=0;i<n.length;i++){var o=n[i];t.emit({originalEvent:r,type:o,position:a})}},a=function(e){return e.shiftKey||e.metaKey||e.ctrlKey},i=function(t,n){var r=!0;if(e.cy.hasCompoundNodes()&&t&&t.pannable())for(var a=0;n&&a<n.length;a++){if((t=n[a]).isNode()&&t.isParent()&&!t.pannable()){r=!1;break}}else r=!0;return r},o=function(e){e[0]._private.rscratch.inDragLayer=!0},s=function(e){e[0]._private.rscratch.isGrabTarget=!0},l=function(e,t){var n=t.addToList;n.has(e)||!e.grabbable()||e.locked()||(n.merge(e),function(e){id(e,!0)}(e))},u=function(t,n){n=n||{};var r=t.cy().hasCompoundNodes();n.inDragLayer&&(t.forEach(o),t.neighborhood().stdFilter((function(e){return!r||e.isEdge()})).forEach(o)),n.addToList&&t.forEach((function(e){l(e,n)})),function(e,t){if(e.cy().hasCompoundNodes()&&(null!=t.inDragLayer||null!=t.addToList)){var n=e.descendants();t.inDragLayer&&(n.forEach(o),n.connectedEdges().forEach(o)),t.addToList&&l(n,t)}}(t,n),h(t,{inDragLayer:n.inDragLayer}),e.updateCachedGrabbedEles()},c=u,d=function(t){t&&(e.getCachedZSortedEles().forEach((function(e){!function(e){id(e,!1)}(e),function(e){e[0]._private.rscratch.inDragLayer=!1}(e),function(e){e[0]._private.rscratch.isGrabTarget=!1}(e)})),e.updateCachedGrabbedEles())},h=function(e,t){if((null!=t.inDragLayer||null!=t.addToList)&&e.cy().hasCompoundNodes()){var n=e.ancestors().orphans();if(!n.same(e)){var r=n.descendants().spawnSelf().merge(n).unmerge(e).unmerge(e.descendants()),a=r.connectedEdges();t.inDragLayer&&(a.forEach(o),r.forEach(o)),t.addToList&&r.forEach((function(e){l(e,t)}))}}},f=function(){null!=document.activeElement&&null!=document.activeElement.blur&&document.activeElement.blur()},p="undefined"!=typeof MutationObserver,g="undefined"!=typeof ResizeObserver;p?(e.removeObserver=new MutationObserver((function(t){for(var n=0;n<t.length;n++){var r=t[n].removedNodes;if(r)for(var a=0;a<r.length;a++){if(r[a]===e.container){e.destroy();break}}}})),e.container.parentNode&&e.removeObserver.observe(e.container.parentNode,{childList:!0})):e.registerBinding(e.container,"DOMNodeRemoved",(function(t){e.destroy()}));var v=Ae((function(){e.cy.resize()}),100);p&&(e.styleObserver=new MutationObserver(v),e.styleObserver.observe(e.container,{attributes:!0})),e.registerBinding(t,"resize",v),g&&(e.resizeObserver=new ResizeObserver(v),e.resizeObserver.observe(e.container));var y=function(){e.invalidateContainerClientCoordsCache()};!function(e,t){for(;null!=e;)t(e),e=e.parentNode}(e.container,(function(t){e.registerBinding(t,"transitionend",y),e.registerBinding(t,"animationend",y),e.registerBinding(t,"scroll",y)})),e.registerBinding(e.container,"contextmenu",(function(e){e.preventDefault()}));var m=function(t){for(var n=e.findContainerClientCoords(),r=n[0],a=n[1],i=n[2],o=n[3],s=t.touches?t.touches:[t],l=!1,u=0;u<s.length;u++){var c=s[u];if(r<=c.clientX&&c.clientX<=r+i&&a<=c.clientY&&c.clientY<=a+o){l=!0;break}}if(!l)return!1;for(var d=e.container,h=t.target.parentNode,f=!1;h;){if(h===d){f=!0;break}h=h.parentNode}return!!f};e.registerBinding(e.container,"mousedown",(function(t){if(m(t)&&(1!==e.hoverData.which||1===t.which)){t.preventDefault(),f(),e.hoverData.capture=!0,e.hoverData.which=t.which;var n=e.cy,a=[t.clientX,t.clientY],i=e.projectIntoViewport(a[0],a[1]),o=e.selection,l=e.findNearestElements(i[0],i[1],!0,!1),d=l[0],h=e.dragData.possibleDragElements;e.hoverData.mdownPos=i,e.hoverData.mdownGPos=a;var p=function(e){return{originalEvent:t,type:e,position:{x:i[0],y:i[1]}}};if(3==t.which){e.hoverData.cxtStarted=!0;var g={originalEvent:t,type:"cxttapstart",position:{x:i[0],y:i[1]}};d?(d.activate(),d.emit(g),e.hoverData.down=d):n.emit(g),e.hoverData.downTime=(new Date).getTime(),e.hoverData.cxtDragged=!1}else if(1==t.which){if(d&&d.activate(),null!=d&&e.nodeIsGrabbable(d)){if(s(d),d.selected()){h=e.dragData.possibleDragElements=n.collection();var v=n.$((function(t){return t.isNode()&&t.selected()&&e.nodeIsGrabbable(t)}));u(v,{addToList:h}),d.emit(p("grabon")),v.forEach((function(e){e.emit(p("grab"))}))}else h=e.dragData.possibleDragElements=n.collection(),c(d,{addToList:h}),d.emit(p("grabon")).emit(p("grab"));e.redrawHint("eles",!0),e.redrawHint("drag",!0)}e.hoverData.down=d,e.hoverData.downs=l,e.hoverData.downTime=(new Date).getTime(),r(d,["mousedown","tapstart","vmousedown"],t,{x:i[0],y:i[1]}),null==d?(o[4]=1,e.data.bgActivePosistion={x:i[0],y:i[1]},e.redrawHint("select",!0),e.redraw()):d.pannable()&&(o[4]=1),e.hoverData.tapholdCancelled=!1,clearTimeout(e.hoverData.tapholdTimeout),e.hoverData.tapholdTimeout=setTimeout((function(){if(!e.hoverData.tapholdCancelled){var t=e.hoverData.down;t?t.emit(p("taphold")):n.emit(p("taphold"))}}),e.tapholdDuration)}o[0]=o[2]=i[0],o[1]=o[3]=i[1]}}),!1);var b,x,w,E=function(e){var t=e.getRootNode();if(t&&11===t.nodeType&&void 0!==t.host)return t}(e.container);e.registerBinding([t,E],"mousemove",(function(t){if(e.hoverData.capture||m(t)){var n=!1,o=e.cy,s=o.zoom(),l=[t.clientX,t.clientY],c=e.projectIntoViewport(l[0],l[1]),h=e.hoverData.mdownPos,f=e.hoverData.mdownGPos,p=e.selection,g=null;e.hoverData.draggingEles||e.hoverData.dragging||e.hoverData.selecting||(g=e.findNearestElement(c[0],c[1],!0,!1));var v,y=e.hoverData.last,b=e.hoverData.down,x=[c[0]-p[2],c[1]-p[3]],w=e.dragData.possibleDragElements;if(f){var E=l[0]-f[0],k=E*E,T=l[1]-f[1],C=k+T*T;e.hoverData.isOverThresholdDrag=v=C>=e.desktopTapThreshold2}var P=a(t);v&&(e.hoverData.tapholdCancelled=!0);n=!0,r(g,["mousemove","vmousemove","tapdrag"],t,{x:c[0],y:c[1]});var S=function(e){return{originalEvent:t,type:e,position:{x:c[0],y:c[1]}}},B=function(){e.data.bgActivePosistion=void 0,e.hoverData.selecting||o.emit(S("boxstart")),p[4]=1,e.hoverData.selecting=!0,e.redrawHint("select",!0),e.redraw()};if(3===e.hoverData.which){if(v){var D=S("cxtdrag");b?b.emit(D):o.emit(D),e.hoverData.cxtDragged=!0,e.hoverData.cxtOver&&g===e.hoverData.cxtOver||(e.hoverData.cxtOver&&e.hoverData.cxtOver.emit(S("cxtdragout")),e.hoverData.cxtOver=g,g&&g.emit(S("cxtdragover")))}}else if(e.hoverData.dragging){if(n=!0,o.panningEnabled()&&o.userPanningEnabled()){var _;if(e.hoverData.justStartedPan){var A=e.hoverData.mdownPos;_={x:(c[0]-A[0])*s,y:(c[1]-A[1])*s},e.hoverData.justStartedPan=!1}else _={x:x[0]*s,y:x[1]*s};o.panBy(_),o.emit(S("dragpan")),e.hoverData.dragged=!0}c=e.projectIntoViewport(t.clientX,t.clientY)}else if(1!=p[4]||null!=b&&!b.pannable()){if(b&&b.pannable()&&b.active()&&b.unactivate(),b&&b.grabbed()||g==y||(y&&r(y,["mouseout","tapdragout"],t,{x:c[0],y:c[1]}),g&&r(g,["mouseover","tapdragover"],t,{x:c[0],y:c[1]}),e.hoverData.last=g),b)if(v){if(o.boxSelectionEnabled()&&P)b&&b.grabbed()&&(d(w),b.emit(S("freeon")),w.emit(S("free")),e.dragData.didDrag&&(b.emit(S("dragfreeon")),w.emit(S("dragfree")))),B();else if(b&&b.grabbed()&&e.nodeIsDraggable(b)){var M=!e.dragData.didDrag;M&&e.redrawHint("eles",!0),e.dragData.didDrag=!0,e.hoverData.draggingEles||u(w,{inDragLayer:!0});var R={x:0,y:0};if(G(x[0])&&G(x[1])&&(R.x+=x[0],R.y+=x[1],M)){var I=e.hoverData.dragDelta;I&&G(I[0])&&G(I[1])&&(R.x+=I[0],R.y+=I[1])}e.hoverData.draggingEles=!0,w.silentShift(R).emit(S("position")).emit(S("drag")),e.redrawHint("drag",!0),e.redraw()}}else!function(){var t=e.hoverData.dragDelta=e.hoverData.dragDelta||[];0===t.length?(t.push(x[0]),t.push(x[1])):(t[0]+=x[0],t[1]+=x[1])}();n=!0}else if(v){if(e.hoverData.dragging||!o.boxSelectionEnabled()||!P&&o.panningEnabled()&&o.userPanningEnabled()){if(!e.hoverData.selecting&&o.panningEnabled()&&o.userPanningEnabled()){i(b,e.hoverData.downs)&&(e.hoverData.dragging=!0,e.hoverData.justStartedPan=!0,p[4]=0,e.data.bgActivePosistion=qt(h),e.redrawHint("select",!0),e.redraw())}}else B();b&&b.pannable()&&b.active()&&b.unactivate()}return p[2]=c[0],p[3]=c[1],n?(t.stopPropagation&&t.stopPropagation(),t.preventDefault&&t.preventDefault(),!1):void 0}}),!1),e.registerBinding(t,"mouseup",(function(t){if((1!==e.hoverData.which||1===t.which||!e.hoverData.capture)&&e.hoverData.capture){e.hoverData.capture=!1;var i=e.cy,o=e.projectIntoViewport(t.clientX,t.clientY),s=e.selection,l=e.findNearestElement(o[0],o[1],!0,!1),u=e.dragData.possibleDragElements,c=e.hoverData.down,h=a(t);e.data.bgActivePosistion&&(e.redrawHint("select",!0),e.redraw()),e.hoverData.tapholdCancelled=!0,e.data.bgActivePosistion=void 0,c&&c.unactivate();var f=function(e){return{originalEvent:t,type:e,position:{x:o[0],y:o[1]}}};if(3===e.hoverData.which){var p=f("cxttapend");if(c?c.emit(p):i.emit(p),!e.hoverData.cxtDragged){var g=f("cxttap");c?c.emit(g):i.emit(g)}e.hoverData.cxtDragged=!1,e.hoverData.which=null}else if(1===e.hoverData.which){if(r(l,["mouseup","tapend","vmouseup"],t,{x:o[0],y:o[1]}),e.dragData.didDrag||e.hoverData.dragged||e.hoverData.selecting||e.hoverData.isOverThresholdDrag||(r(c,["click","tap","vclick"],t,{x:o[0],y:o[1]}),x=!1,t.timeStamp-w<=i.multiClickDebounceTime()?(b&&clearTimeout(b),x=!0,w=null,r(c,["dblclick","dbltap","vdblclick"],t,{x:o[0],y:o[1]})):(b=setTimeout((function(){x||r(c,["oneclick","onetap","voneclick"],t,{x:o[0],y:o[1]})}),i.multiClickDebounceTime()),w=t.timeStamp)),null!=c||e.dragData.didDrag||e.hoverData.selecting||e.hoverData.dragged||a(t)||(i.$(n).unselect(["tapunselect"]),u.length>0&&e.redrawHint("eles",!0),e.dragData.possibleDragElements=u=i.collection()),l!=c||e.dragData.didDrag||e.hoverData.selecting||null!=l&&l._private.selectable&&(e.hoverData.dragging||("additive"===i.selectionType()||h?l.selected()?l.unselect(["tapunselect"]):l.select(["tapselect"]):h||(i.$(n).unmerge(l).unselect(["tapunselect"]),l.select(["tapselect"]))),e.redrawHint("eles",!0)),e.hoverData.selecting){var v=i.collection(e.getAllInBox(s[0],s[1],s[2],s[3]));e.redrawHint("select",!0),v.length>0&&e.redrawHint("eles",!0),i.emit(f("boxend"));var y=function(e){return e.selectable()&&!e.selected()};"additive"===i.selectionType()||h||i.$(n).unmerge(v).unselect(),v.emit(f("box")).stdFilter(y).select().emit(f("boxselect")),e.redraw()}if(e.hoverData.dragging&&(e.hoverData.dragging=!1,e.redrawHint("select",!0),e.redrawHint("eles",!0),e.redraw()),!s[4]){e.redrawHint("drag",!0),e.redrawHint("eles",!0);var m=c&&c.grabbed();d(u),m&&(c.emit(f("freeon")),u.emit(f("free")),e.dragData.didDrag&&(c.emit(f("dragfreeon")),u.emit(f("dragfree"))))}}s[4]=0,e.hoverData.down=null,e.hoverData.cxtStarted=!1,e.hoverData.draggingEles=!1,e.hoverData.selecting=!1,e.hoverData.isOverThresholdDrag=!1,e.dragData.didDrag=!1,e.hoverData.dragged=!1,e.hoverData.dragDelta=[],e.hoverData.mdownPos=null,e.hoverData.mdownGPos=null,e.hoverData.which=null}}),!1);var k,T,C,P,S,B,D,_,A,M,R,I,N,L,z=[],O=1e5,V=function(t){var n=!1,r=t.deltaY;if(null==r&&(null!=t.wheelDeltaY?r=t.wheelDeltaY/4:null!=t.wheelDelta&&(r=t.wheelDelta/4)),0!==r){if(null==k)if(z.length>=4){k=!1;var a,i=z;if(i[0]>=5)a=function(e){for(var t=Math.abs(e[0]),n=1;n<e.length;n++)if(Math.abs(e[n])!==t)return!1;return!0}(i)?i[0]:function(e){for(var t=e[0],n=0;n<e.length;n++){if(!Z(e[n]))return 0;n>0&&(t=Wt(t,e[n]))}return t}(i),a>1&&(k=!0,O=a)}else z.push(Math.abs(r)),n=!0;else k&&(O=Math.min(Math.abs(r),O));if(!e.scrollingPage){var o=e.cy,s=o.zoom(),l=o.pan(),u=e.projectIntoViewport(t.clientX,t.clientY),c=[u[0]*s+l.x,u[1]*s+l.y];if(e.hoverData.draggingEles||e.hoverData.dragging||e.hoverData.cxtStarted||0!==e.selection[4])t.preventDefault();else if(o.panningEnabled()&&o.userPanningEnabled()&&o.zoomingEnabled()&&o.userZoomingEnabled()){var d;t.preventDefault(),e.data.wheelZooming=!0,clearTimeout(e.data.wheelTimeout),e.data.wheelTimeout=setTimeout((function(){e.data.wheelZooming=!1,e.redrawHint("eles",!0),e.redraw()}),150),n&&Math.abs(r)>5&&(r=5*Kt(r)),d=r/-250,k&&(d/=O,d*=3),d*=e.wheelSensitivity,1===t.deltaMode&&(d*=33);var h=o.zoom()*Math.pow(10,d);"gesturechange"===t.type&&(h=e.gestureStartZoom*t.scale),o.zoom({level:h,renderedPosition:{x:c[0],y:c[1]}}),o.emit({type:"gesturechange"===t.type?"pinchzoom":"scrollzoom",originalEvent:t,position:{x:u[0],y:u[1]}})}}}};e.registerBinding(e.container,"wheel",V,!0),e.registerBinding(t,"scroll",(function(t){e.scrollingPage=!0,clearTimeout(e.scrollingPageTimeout),e.scrollingPageTimeout=setTimeout((function(){e.scrollingPage=!1}),250)}),!0),e.registerBinding(e.container,"gesturestart",(function(t){e.gestureStartZoom=e.cy.zoom(),e.hasTouchStarted||t.preventDefault()}),!0),e.registerBinding(e.container,"gesturechange",(function(t){e.hasTouchStarted||V(t)}),!0),e.registerBinding(e.container,"mouseout",(function(t){var n=e.projectIntoViewport(t.clientX,t.clientY);e.cy.emit({originalEvent:t,type:"mouseout",position:{x:n[0],y:n[1]}})}),!1),e.registerBinding(e.container,"mouseover",(function(t){var n=e.projectIntoViewport(t.clientX,t.clientY);e.cy.emit({originalEvent:t,type:"mouseover",position:{x:n[0],y:n[1]}})}),!1);var F,X,j,Y,q,W,U,H=function(e,t,n,r){return Math.sqrt((n-e)*(n-e)+(r-t)*(r-t))},K=function(e,t,n,r){return(n-e)*(n-e)+(r-t)*(r-t)};if(e.registerBinding(e.container,"touchstart",F=function(t){if(e.hasTouchStarted=!0,m(t)){f(),e.touchData.capture=!0,e.data.bgActivePosistion=void 0;var n=e.cy,a=e.touchData.now,i=e.touchData.earlier;if(t.touches[0]){var o=e.projectIntoViewport(t.touches[0].clientX,t.touches[0].clientY);a[0]=o[0],a[1]=o[1]}if(t.touches[1]){o=e.projectIntoViewport(t.touches[1].clientX,t.touches[1].clientY);a[2]=o[0],a[3]=o[1]}if(t.touches[2]){o=e.projectIntoViewport(t.touches[2].clientX,t.touches[2].clientY);a[4]=o[0],a[5]=o[1]}var l=function(e){return{originalEvent:t,type:e,position:{x:a[0],y:a[1]}}};if(t.touches[1]){e.touchData.singleTouchMoved=!0,d(e.dragData.touchDragEles);var h=e.findContainerClientCoords();M=h[0],R=h[1],I=h[2],N=h[3],T=t.touches[0].clientX-M,C=t.touches[0].clientY-R,P=t.touches[1].clientX-M,S=t.touches[1].clientY-R,L=0<=T&&T<=I&&0<=P&&P<=I&&0<=C&&C<=N&&0<=S&&S<=N;var p=n.pan(),g=n.zoom();B=H(T,C,P,S),D=K(T,C,P,S),A=[((_=[(T+P)/2,(C+S)/2])[0]-p.x)/g,(_[1]-p.y)/g];if(D<4e4&&!t.touches[2]){var v=e.findNearestElement(a[0],a[1],!0,!0),y=e.findNearestElement(a[2],a[3],!0,!0);return v&&v.isNode()?(v.activate().emit(l("cxttapstart")),e.touchData.start=v):y&&y.isNode()?(y.activate().emit(l("cxttapstart")),e.touchData.start=y):n.emit(l("cxttapstart")),e.touchData.start&&(e.touchData.start._private.grabbed=!1),e.touchData.cxt=!0,e.touchData.cxtDragged=!1,e.data.bgActivePosistion=void 0,void e.redraw()}}if(t.touches[2])n.boxSelectionEnabled()&&t.preventDefault();else if(t.touches[1]);else if(t.touches[0]){var b=e.findNearestElements(a[0],a[1],!0,!0),x=b[0];if(null!=x&&(x.activate(),e.touchData.start=x,e.touchData.starts=b,e.nodeIsGrabbable(x))){var w=e.dragData.touchDragEles=n.collection(),E=null;e.redrawHint("eles",!0),e.redrawHint("drag",!0),x.selected()?(E=n.$((function(t){return t.selected()&&e.nodeIsGrabbable(t)})),u(E,{addToList:w})):c(x,{addToList:w}),s(x),x.emit(l("grabon")),E?E.forEach((function(e){e.emit(l("grab"))})):x.emit(l("grab"))}r(x,["touchstart","tapstart","vmousedown"],t,{x:a[0],y:a[1]}),null==x&&(e.data.bgActivePosistion={x:o[0],y:o[1]},e.redrawHint("select",!0),e.redraw()),e.touchData.singleTouchMoved=!1,e.touchData.singleTouchStartTime=+new Date,clearTimeout(e.touchData.tapholdTimeout),e.touchData.tapholdTimeout=setTimeout((function(){!1!==e.touchData.singleTouchMoved||e.pinching||e.touchData.selecting||r(e.touchData.start,["taphold"],t,{x:a[0],y:a[1]})}),e.tapholdDuration)}if(t.touches.length>=1){for(var k=e.touchData.startPosition=[null,null,null,null,null,null],z=0;z<a.length;z++)k[z]=i[z]=a[z];var O=t.touches[0];e.touchData.startGPosition=[O.clientX,O.clientY]}}},!1),e.registerBinding(t,"touchmove",X=function(t){var n=e.touchData.capture;if(n||m(t)){var a=e.selection,o=e.cy,s=e.touchData.now,l=e.touchData.earlier,c=o.zoom();if(t.touches[0]){var h=e.projectIntoViewport(t.touches[0].clientX,t.touches[0].clientY);s[0]=h[0],s[1]=h[1]}if(t.touches[1]){h=e.projectIntoViewport(t.touches[1].clientX,t.touches[1].clientY);s[2]=h[0],s[3]=h[1]}if(t.touches[2]){h=e.projectIntoViewport(t.touches[2].clientX,t.touches[2].clientY);s[4]=h[0],s[5]=h[1]}var f,p=function(e){return{originalEvent:t,type:e,position:{x:s[0],y:s[1]}}},g=e.touchData.startGPosition;if(n&&t.touches[0]&&g){for(var v=[],y=0;y<s.length;y++)v[y]=s[y]-l[y];var b=t.touches[0].clientX-g[0],x=b*b,w=t.touches[0].clientY-g[1];f=x+w*w>=e.touchTapThreshold2}if(n&&e.touchData.cxt){t.preventDefault();var E=t.touches[0].clientX-M,k=t.touches[0].clientY-R,_=t.touches[1].clientX-M,I=t.touches[1].clientY-R,N=K(E,k,_,I);if(N/D>=2.25||N>=22500){e.touchData.cxt=!1,e.data.bgActivePosistion=void 0,e.redrawHint("select",!0);var z=p("cxttapend");e.touchData.start?(e.touchData.start.unactivate().emit(z),e.touchData.start=null):o.emit(z)}}if(n&&e.touchData.cxt){z=p("cxtdrag");e.data.bgActivePosistion=void 0,e.redrawHint("select",!0),e.touchData.start?e.touchData.start.emit(z):o.emit(z),e.touchData.start&&(e.touchData.start._private.grabbed=!1),e.touchData.cxtDragged=!0;var O=e.findNearestElement(s[0],s[1],!0,!0);e.touchData.cxtOver&&O===e.touchData.cxtOver||(e.touchData.cxtOver&&e.touchData.cxtOver.emit(p("cxtdragout")),e.touchData.cxtOver=O,O&&O.emit(p("cxtdragover")))}else if(n&&t.touches[2]&&o.boxSelectionEnabled())t.preventDefault(),e.data.bgActivePosistion=void 0,this.lastThreeTouch=+new Date,e.touchData.selecting||o.emit(p("boxstart")),e.touchData.selecting=!0,e.touchData.didSelect=!0,a[4]=1,a&&0!==a.length&&void 0!==a[0]?(a[2]=(s[0]+s[2]+s[4])/3,a[3]=(s[1]+s[3]+s[5])/3):(a[0]=(s[0]+s[2]+s[4])/3,a[1]=(s[1]+s[3]+s[5])/3,a[2]=(s[0]+s[2]+s[4])/3+1,a[3]=(s[1]+s[3]+s[5])/3+1),e.redrawHint("select",!0),e.redraw();else if(n&&t.touches[1]&&!e.touchData.didSelect&&o.zoomingEnabled()&&o.panningEnabled()&&o.userZoomingEnabled()&&o.userPanningEnabled()){if(t.preventDefault(),e.data.bgActivePosistion=void 0,e.redrawHint("select",!0),te=e.dragData.touchDragEles){e.redrawHint("drag",!0);for(var V=0;V<te.length;V++){var F=te[V]._private;F.grabbed=!1,F.rscratch.inDragLayer=!1}}var X=e.touchData.start,j=(E=t.touches[0].clientX-M,k=t.touches[0].clientY-R,_=t.touches[1].clientX-M,I=t.touches[1].clientY-R,H(E,k,_,I)),Y=j/B;if(L){var q=(E-T+(_-P))/2,W=(k-C+(I-S))/2,U=o.zoom(),Z=U*Y,$=o.pan(),Q=A[0]*U+$.x,J=A[1]*U+$.y,ee={x:-Z/U*(Q-$.x-q)+Q,y:-Z/U*(J-$.y-W)+J};if(X&&X.active()){var te=e.dragData.touchDragEles;d(te),e.redrawHint("drag",!0),e.redrawHint("eles",!0),X.unactivate().emit(p("freeon")),te&&te.emit(p("free")),e.dragData.didDrag&&(X.emit(p("dragfreeon")),te&&te.emit(p("dragfree")))}o.viewport({zoom:Z,pan:ee,cancelOnFailedZoom:!0}),o.emit(p("pinchzoom")),B=j,T=E,C=k,P=_,S=I,e.pinching=!0}if(t.touches[0]){h=e.projectIntoViewport(t.touches[0].clientX,t.touches[0].clientY);s[0]=h[0],s[1]=h[1]}if(t.touches[1]){h=e.projectIntoViewport(t.touches[1].clientX,t.touches[1].clientY);s[2]=h[0],s[3]=h[1]}if(t.touches[2]){h=e.projectIntoViewport(t.touches[2].clientX,t.touches[2].clientY);s[4]=h[0],s[5]=h[1]}}else if(t.touches[0]&&!e.touchData.didSelect){var ne=e.touchData.start,re=e.touchData.last;if(e.hoverData.draggingEles||e.swipePanning||(O=e.findNearestElement(s[0],s[1],!0,!0)),n&&null!=ne&&t.preventDefault(),n&&null!=ne&&e.nodeIsDraggable(ne))if(f){te=e.dragData.touchDragEles;var ae=!e.dragData.didDrag;ae&&u(te,{inDragLayer:!0}),e.dragData.didDrag=!0;var ie={x:0,y:0};if(G(v[0])&&G(v[1]))if(ie.x+=v[0],ie.y+=v[1],ae)e.redrawHint("eles",!0),(oe=e.touchData.dragDelta)&&G(oe[0])&&G(oe[1])&&(ie.x+=oe[0],ie.y+=oe[1]);e.hoverData.draggingEles=!0,te.silentShift(ie).emit(p("position")).emit(p("drag")),e.redrawHint("drag",!0),e.touchData.startPosition[0]==l[0]&&e.touchData.startPosition[1]==l[1]&&e.redrawHint("eles",!0),e.redraw()}else{var oe;0===(oe=e.touchData.dragDelta=e.touchData.dragDelta||[]).length?(oe.push(v[0]),oe.push(v[1])):(oe[0]+=v[0],oe[1]+=v[1])}if(r(ne||O,["touchmove","tapdrag","vmousemove"],t,{x:s[0],y:s[1]}),ne&&ne.grabbed()||O==re||(re&&re.emit(p("tapdragout")),O&&O.emit(p("tapdragover"))),e.touchData.last=O,n)for(V=0;V<s.length;V++)s[V]&&e.touchData.startPosition[V]&&f&&(e.touchData.singleTouchMoved=!0);if(n&&(null==ne||ne.pannable())&&o.panningEnabled()&&o.userPanningEnabled()){i(ne,e.touchData.starts)&&(t.preventDefault(),e.data.bgActivePosistion||(e.data.bgActivePosistion=qt(e.touchData.startPosition)),e.swipePanning?(o.panBy({x:v[0]*c,y:v[1]*c}),o.emit(p("dragpan"))):f&&(e.swipePanning=!0,o.panBy({x:b*c,y:w*c}),o.emit(p("dragpan")),ne&&(ne.unactivate(),e.redrawHint("select",!0),e.touchData.start=null)));h=e.projectIntoViewport(t.touches[0].clientX,t.touches[0].clientY);s[0]=h[0],s[1]=h[1]}}for(y=0;y<s.length;y++)l[y]=s[y];n&&t.touches.length>0&&!e.hoverData.draggingEles&&!e.swipePanning&&null!=e.data.bgActivePosistion&&(e.data.bgActivePosistion=void 0,e.redrawHint("select",!0),e.redraw())}},!1),e.registerBinding(t,"touchcancel",j=function(t){var n=e.touchData.start;e.touchData.capture=!1,n&&n.unactivate()}),e.registerBinding(t,"touchend",Y=function(t){var a=e.touchData.start;if(e.touchData.capture){0===t.touches.length&&(e.touchData.capture=!1),t.preventDefault();var i=e.selection;e.swipePanning=!1,e.hoverData.draggingEles=!1;var o=e.cy,s=o.zoom(),l=e.touchData.now,u=e.touchData.earlier;if(t.touches[0]){var c=e.projectIntoViewport(t.touches[0].clientX,t.touches[0].clientY);l[0]=c[0],l[1]=c[1]}if(t.touches[1]){c=e.projectIntoViewport(t.touches[1].clientX,t.touches[1].clientY);l[2]=c[0],l[3]=c[1]}if(t.touches[2]){c=e.projectIntoViewport(t.touches[2].clientX,t.touches[2].clientY);l[4]=c[0],l[5]=c[1]}var h,f=function(e){return{originalEvent:t,type:e,position:{x:l[0],y:l[1]}}};if(a&&a.unactivate(),e.touchData.cxt){if(h=f("cxttapend"),a?a.emit(h):o.emit(h),!e.touchData.cxtDragged){var p=f("cxttap");a?a.emit(p):o.emit(p)}return e.touchData.start&&(e.touchData.start._private.grabbed=!1),e.touchData.cxt=!1,e.touchData.start=null,void e.redraw()}if(!t.touches[2]&&o.boxSelectionEnabled()&&e.touchData.selecting){e.touchData.selecting=!1;var g=o.collection(e.getAllInBox(i[0],i[1],i[2],i[3]));i[0]=void 0,i[1]=void 0,i[2]=void 0,i[3]=void 0,i[4]=0,e.redrawHint("select",!0),o.emit(f("boxend"));g.emit(f("box")).stdFilter((function(e){return e.selectable()&&!e.selected()})).select().emit(f("boxselect")),g.nonempty()&&e.redrawHint("eles",!0),e.redraw()}if(null!=a&&a.unactivate(),t.touches[2])e.data.bgActivePosistion=void 0,e.redrawHint("select",!0);else if(t.touches[1]);else if(t.touches[0]);else if(!t.touches[0]){e.data.bgActivePosistion=void 0,e.redrawHint("select",!0);var v=e.dragData.touchDragEles;if(null!=a){var y=a._private.grabbed;d(v),e.redrawHint("drag",!0),e.redrawHint("eles",!0),y&&(a.emit(f("freeon")),v.emit(f("free")),e.dragData.didDrag&&(a.emit(f("dragfreeon")),v.emit(f("dragfree")))),r(a,["touchend","tapend","vmouseup","tapdragout"],t,{x:l[0],y:l[1]}),a.unactivate(),e.touchData.start=null}else{var m=e.findNearestElement(l[0],l[1],!0,!0);r(m,["touchend","tapend","vmouseup","tapdragout"],t,{x:l[0],y:l[1]})}var b=e.touchData.startPosition[0]-l[0],x=b*b,w=e.touchData.startPosition[1]-l[1],E=(x+w*w)*s*s;e.touchData.singleTouchMoved||(a||o.$(":selected").unselect(["tapunselect"]),r(a,["tap","vclick"],t,{x:l[0],y:l[1]}),q=!1,t.timeStamp-U<=o.multiClickDebounceTime()?(W&&clearTimeout(W),q=!0,U=null,r(a,["dbltap","vdblclick"],t,{x:l[0],y:l[1]})):(W=setTimeout((function(){q||r(a,["onetap","voneclick"],t,{x:l[0],y:l[1]})}),o.multiClickDebounceTime()),U=t.timeStamp)),null!=a&&!e.dragData.didDrag&&a._private.selectable&&E<e.touchTapThreshold2&&!e.pinching&&("single"===o.selectionType()?(o.$(n).unmerge(a).unselect(["tapunselect"]),a.select(["tapselect"])):a.selected()?a.unselect(["tapunselect"]):a.select(["tapselect"]),e.redrawHint("eles",!0)),e.touchData.singleTouchMoved=!0}for(var k=0;k<l.length;k++)u[k]=l[k];e.dragData.didDrag=!1,0===t.touches.length&&(e.touchData.dragDelta=[],e.touchData.startPosition=[null,null,null,null,null,null],e.touchData.startGPosition=null,e.touchData.didSelect=!1),t.touches.length<2&&(1===t.touches.length&&(e.touchData.startGPosition=[t.touches[0].clientX,t.touches[0].clientY]),e.pinching=!1,e.redrawHint("eles",!0),e.redraw())}},!1),"undefined"==typeof TouchEvent){var $=[],Q=function(e){return{clientX:e.clientX,clientY:e.clientY,force:1,identifier:e.pointerId,pageX:e.pageX,pageY:e.pageY,radiusX:e.width/2,radiusY:e.height/2,screenX:e.screenX,screenY:e.screenY,target:e.target}},J=function(e){$.push(function(e){return{event:e,touch:Q(e)}}(e))},ee=function(e){for(var t=0;t<$.length;t++){if($[t].event.pointerId===e.pointerId)return void $.splice(t,1)}},te=function(e){e.touches=$.map((function(e){return e.touch}))},ne=function(e){return"mouse"===e.pointerType||4===e.pointerType};e.registerBinding(e.container,"pointerdown",(function(e){ne(e)||(e.preventDefault(),J(e),te(e),F(e))})),e.registerBinding(e.container,"pointerup",(function(e){ne(e)||(ee(e),te(e),Y(e))})),e.registerBinding(e.container,"pointercancel",(function(e){ne(e)||(ee(e),te(e),j())})),e.registerBinding(e.container,"pointermove",(function(e){ne(e)||(e.preventDefault(),function(e){var t=$.filter((function(t){return t.event.pointerId===e.pointerId}))[0];t.event=e,t.touch=Q(e)}(e),te(e),X(e))}))}};var sd={generatePolygon:function(e,t){return this.nodeShapes[e]={renderer:this,name:e,points:t,draw:function(e,t,n,r,a,i){this.renderer.nodeShapeImpl("polygon",e,t,n,r,a,this.points)},intersectLine:function(e,t,n,r,a,i,o,s){return Sn(a,i,this.points,e,t,n/2,r/2,o)},checkPoint:function(e,t,n,r,a,i,o,s){return bn(e,t,this.points,i,o,r,a,[0,-1],n)},hasMiterBounds:"rectangle"!==e,miterBounds:function(e,t,n,r,a,i){return hn(this.points,e,t,n,r,a)}}}};sd.generateEllipse=function(){return this.nodeShapes.ellipse={renderer:this,name:"ellipse",draw:function(e,t,n,r,a,i){this.renderer.nodeShapeImpl(this.name,e,t,n,r,a)},intersectLine:function(e,t,n,r,a,i,o,s){return function(e,t,n,r,a,i){var o=n-e,s=r-t;o/=a,s/=i;var l=Math.sqrt(o*o+s*s),u=l-1;if(u<0)return[];var c=u/l;return[(n-e)*c+e,(r-t)*c+t]}(a,i,e,t,n/2+o,r/2+o)},checkPoint:function(e,t,n,r,a,i,o,s){return En(e,t,r,a,i,o,n)}}},sd.generateRoundPolygon=function(e,t){return this.nodeShapes[e]={renderer:this,name:e,points:t,getOrCreateCorners:function(e,n,r,a,i,o,s){if(void 0!==o[s]&&o[s+"-cx"]===e&&o[s+"-cy"]===n&&o[s+"-w"]===r&&o[s+"-h"]===a&&o[s+"-corner-radius"]===i)return o[s];o[s]=new Array(t.length/2),o[s+"-cx"]=e,o[s+"-cy"]=n,o[s+"-w"]=r,o[s+"-h"]=a,o[s+"-corner-radius"]=i;var l=r/2,u=a/2;i="auto"===i?Rn(r,a):i;for(var c=new Array(t.length/2),d=0;d<t.length/2;d++)c[d]={x:e+l*t[2*d],y:n+u*t[2*d+1]};var h,f,p,g,v=c.length;for(f=c[v-1],h=0;h<v;h++)p=c[h%v],g=c[(h+1)%v],o[s][h]=jc(f,p,g,i),f=p,p=g;return o[s]},draw:function(e,t,n,r,a,i,o){this.renderer.nodeShapeImpl("round-polygon",e,t,n,r,a,this.points,this.getOrCreateCorners(t,n,r,a,i,o,"drawCorners"))},intersectLine:function(e,t,n,r,a,i,o,s,l){return function(e,t,n,r,a,i,o,s,l){var u,c=[],d=new Array(2*n.length);l.forEach((function(n,i){0===i?(d[d.length-2]=n.startX,d[d.length-1]=n.startY):(d[4*i-2]=n.startX,d[4*i-1]=n.startY),d[4*i]=n.stopX,d[4*i+1]=n.stopY,0!==(u=kn(e,t,r,a,n.cx,n.cy,n.radius)).length&&c.push(u[0],u[1])}));for(var h=0;h<d.length/4;h++)0!==(u=Cn(e,t,r,a,d[4*h],d[4*h+1],d[4*h+2],d[4*h+3],!1)).length&&c.push(u[0],u[1]);if(c.length>2){for(var f=[c[0],c[1]],p=Math.pow(f[0]-e,2)+Math.pow(f[1]-t,2),g=1;g<c.length/2;g++){var v=Math.pow(c[2*g]-e,2)+Math.pow(c[2*g+1]-t,2);v<=p&&(f[0]=c[2*g],f[1]=c[2*g+1],p=v)}return f}return c}(a,i,this.points,e,t,0,0,0,this.getOrCreateCorners(e,t,n,r,s,l,"corners"))},checkPoint:function(e,t,n,r,a,i,o,s,l){return function(e,t,n,r,a,i,o,s){for(var l=new Array(2*n.length),u=0;u<s.length;u++){var c=s[u];if(l[4*u+0]=c.startX,l[4*u+1]=c.startY,l[4*u+2]=c.stopX,l[4*u+3]=c.stopY,Math.pow(c.cx-e,2)+Math.pow(c.cy-t,2)<=Math.pow(c.radius,2))return!0}return mn(e,t,l)}(e,t,this.points,0,0,0,0,this.getOrCreateCorners(i,o,r,a,s,l,"corners"))}}},sd.generateRoundRectangle=function(){return this.nodeShapes["round-rectangle"]=this.nodeShapes.roundrectangle={renderer:this,name:"round-rectangle",points:Dn(4,0),draw:function(e,t,n,r,a,i){this.renderer.nodeShapeImpl(this.name,e,t,n,r,a,this.points,i)},intersectLine:function(e,t,n,r,a,i,o,s){return fn(a,i,e,t,n,r,o,s)},checkPoint:function(e,t,n,r,a,i,o,s){var l=r/2,u=a/2;s="auto"===s?Mn(r,a):s;var c=2*(s=Math.min(l,u,s));return!!bn(e,t,this.points,i,o,r,a-c,[0,-1],n)||(!!bn(e,t,this.points,i,o,r-c,a,[0,-1],n)||(!!En(e,t,c,c,i-l+s,o-u+s,n)||(!!En(e,t,c,c,i+l-s,o-u+s,n)||(!!En(e,t,c,c,i+l-s,o+u-s,n)||!!En(e,t,c,c,i-l+s,o+u-s,n)))))}}},sd.generateCutRectangle=function(){return this.nodeShapes["cut-rectangle"]=this.nodeShapes.cutrectangle={renderer:this,name:"cut-rectangle",cornerLength:8,points:Dn(4,0),draw:function(e,t,n,r,a,i){this.renderer.nodeShapeImpl(this.name,e,t,n,r,a,null,i)},generateCutTrianglePts:function(e,t,n,r,a){var i="auto"===a?this.cornerLength:a,o=t/2,s=e/2,l=n-s,u=n+s,c=r-o,d=r+o;return{topLeft:[l,c+i,l+i,c,l+i,c+i],topRight:[u-i,c,u,c+i,u-i,c+i],bottomRight:[u,d-i,u-i,d,u-i,d-i],bottomLeft:[l+i,d,l,d-i,l+i,d-i]}},intersectLine:function(e,t,n,r,a,i,o,s){var l=this.generateCutTrianglePts(n+2*o,r+2*o,e,t,s),u=[].concat.apply([],[l.topLeft.splice(0,4),l.topRight.splice(0,4),l.bottomRight.splice(0,4),l.bottomLeft.splice(0,4)]);return Sn(a,i,u,e,t)},checkPoint:function(e,t,n,r,a,i,o,s){var l="auto"===s?this.cornerLength:s;if(bn(e,t,this.points,i,o,r,a-2*l,[0,-1],n))return!0;if(bn(e,t,this.points,i,o,r-2*l,a,[0,-1],n))return!0;var u=this.generateCutTrianglePts(r,a,i,o);return mn(e,t,u.topLeft)||mn(e,t,u.topRight)||mn(e,t,u.bottomRight)||mn(e,t,u.bottomLeft)}}},sd.generateBarrel=function(){return this.nodeShapes.barrel={renderer:this,name:"barrel",points:Dn(4,0),draw:function(e,t,n,r,a,i){this.renderer.nodeShapeImpl(this.name,e,t,n,r,a)},intersectLine:function(e,t,n,r,a,i,o,s){var l=this.generateBarrelBezierPts(n+2*o,r+2*o,e,t),u=function(e){var t=Jt({x:e[0],y:e[1]},{x:e[2],y:e[3]},{x:e[4],y:e[5]},.15),n=Jt({x:e[0],y:e[1]},{x:e[2],y:e[3]},{x:e[4],y:e[5]},.5),r=Jt({x:e[0],y:e[1]},{x:e[2],y:e[3]},{x:e[4],y:e[5]},.85);return[e[0],e[1],t.x,t.y,n.x,n.y,r.x,r.y,e[4],e[5]]},c=[].concat(u(l.topLeft),u(l.topRight),u(l.bottomRight),u(l.bottomLeft));return Sn(a,i,c,e,t)},generateBarrelBezierPts:function(e,t,n,r){var a=t/2,i=e/2,o=n-i,s=n+i,l=r-a,u=r+a,c=In(e,t),d=c.heightOffset,h=c.widthOffset,f=c.ctrlPtOffsetPct*e,p={topLeft:[o,l+d,o+f,l,o+h,l],topRight:[s-h,l,s-f,l,s,l+d],bottomRight:[s,u-d,s-f,u,s-h,u],bottomLeft:[o+h,u,o+f,u,o,u-d]};return p.topLeft.isTop=!0,p.topRight.isTop=!0,p.bottomLeft.isBottom=!0,p.bottomRight.isBottom=!0,p},checkPoint:function(e,t,n,r,a,i,o,s){var l=In(r,a),u=l.heightOffset,c=l.widthOffset;if(bn(e,t,this.points,i,o,r,a-2*u,[0,-1],n))return!0;if(bn(e,t,this.points,i,o,r-2*c,a,[0,-1],n))return!0;for(var d=this.generateBarrelBezierPts(r,a,i,o),h=function(e,t,n){var r,a,i=n[4],o=n[2],s=n[0],l=n[5],u=n[1],c=Math.min(i,s),d=Math.max(i,s),h=Math.min(l,u),f=Math.max(l,u);if(c<=e&&e<=d&&h<=t&&t<=f){var p=[(r=i)-2*(a=o)+s,2*(a-r),r],g=function(e,t,n,r){var a=t*t-4*e*(n-=r);if(a<0)return[];var i=Math.sqrt(a),o=2*e;return[(-t+i)/o,(-t-i)/o]}(p[0],p[1],p[2],e).filter((function(e){return 0<=e&&e<=1}));if(g.length>0)return g[0]}return null},f=Object.keys(d),p=0;p<f.length;p++){var g=d[f[p]],v=h(e,t,g);if(null!=v){var y=g[5],m=g[3],b=g[1],x=Qt(y,m,b,v);if(g.isTop&&x<=t)return!0;if(g.isBottom&&t<=x)return!0}}return!1}}},sd.generateBottomRoundrectangle=function(){return this.nodeShapes["bottom-round-rectangle"]=this.nodeShapes.bottomroundrectangle={renderer:this,name:"bottom-round-rectangle",points:Dn(4,0),draw:function(e,t,n,r,a,i){this.renderer.nodeShapeImpl(this.name,e,t,n,r,a,this.points,i)},intersectLine:function(e,t,n,r,a,i,o,s){var l=t-(r/2+o),u=Cn(a,i,e,t,e-(n/2+o),l,e+(n/2+o),l,!1);return u.length>0?u:fn(a,i,e,t,n,r,o,s)},checkPoint:function(e,t,n,r,a,i,o,s){var l=2*(s="auto"===s?Mn(r,a):s);if(bn(e,t,this.points,i,o,r,a-l,[0,-1],n))return!0;if(bn(e,t,this.points,i,o,r-l,a,[0,-1],n))return!0;var u=r/2+2*n,c=a/2+2*n;return!!mn(e,t,[i-u,o-c,i-u,o,i+u,o,i+u,o-c])||(!!En(e,t,l,l,i+r/2-s,o+a/2-s,n)||!!En(e,t,l,l,i-r/2+s,o+a/2-s,n))}}},sd.registerNodeShapes=function(){var e=this.nodeShapes={},t=this;this.generateEllipse(),this.generatePolygon("triangle",Dn(3,0)),this.generateRoundPolygon("round-triangle",Dn(3,0)),this.generatePolygon("rectangle",Dn(4,0)),e.square=e.rectangle,this.generateRoundRectangle(),this.generateCutRectangle(),this.generateBarrel(),this.generateBottomRoundrectangle();var n=[0,1,1,0,0,-1,-1,0];this.generatePolygon("diamond",n),this.generateRoundPolygon("round-diamond",n),this.generatePolygon("pentagon",Dn(5,0)),this.generateRoundPolygon("round-pentagon",Dn(5,0)),this.generatePolygon("hexagon",Dn(6,0)),this.generateRoundPolygon("round-hexagon",Dn(6,0)),this.generatePolygon("heptagon",Dn(7,0)),this.generateRoundPolygon("round-heptagon",Dn(7,0)),this.generatePolygon("octagon",Dn(8,0)),this.generateRoundPolygon("round-octagon",Dn(8,0));var r=new Array(20),a=An(5,0),i=An(5,Math.PI/5),o=.5*(3-Math.sqrt(5));o*=1.57;for(var s=0;s<i.length/2;s++)i[2*s]*=o,i[2*s+1]*=o;for(s=0;s<5;s++)r[4*s]=a[2*s],r[4*s+1]=a[2*s+1],r[4*s+2]=i[2*s],r[4*s+3]=i[2*s+1];r=_n(r),this.generatePolygon("star",r),this.generatePolygon("vee",[-1,-1,0,-.333,1,-1,0,1]),this.generatePolygon("rhomboid",[-1,-1,.333,-1,1,1,-.333,1]),this.generatePolygon("right-rhomboid",[-.333,-1,1,-1,.333,1,-1,1]),this.nodeShapes.concavehexagon=this.generatePolygon("concave-hexagon",[-1,-.95,-.75,0,-1,.95,1,.95,.75,0,1,-.95]);var l=[-1,-1,.25,-1,1,0,.25,1,-1,1];this.generatePolygon("tag",l),this.generateRoundPolygon("round-tag",l),e.makePolygon=function(e){var n,r="polygon-"+e.join("$");return(n=this[r])?n:t.generatePolygon(r,e)}};var ld={timeToRender:function(){return this.redrawTotalTime/this.redrawCount},redraw:function(e){e=e||ut();var t=this;void 0===t.averageRedrawTime&&(t.averageRedrawTime=0),void 0===t.lastRedrawTime&&(t.lastRedrawTime=0),void 0===t.lastDrawTime&&(t.lastDrawTime=0),t.requestedFrame=!0,t.renderOptions=e},beforeRender:function(e,t){if(!this.destroyed){null==t&&rt("Priority is not optional for beforeRender");var n=this.beforeRenderCallbacks;n.push({fn:e,priority:t}),n.sort((function(e,t){return t.priority-e.priority}))}}},ud=function(e,t,n){for(var r=e.beforeRenderCallbacks,a=0;a<r.length;a++)r[a].fn(t,n)};ld.startRenderLoop=function(){var e=this,t=e.cy;if(!e.renderLoopStarted){e.renderLoopStarted=!0;var n=function(r){if(!e.destroyed){if(t.batching());else if(e.requestedFrame&&!e.skipFrame){ud(e,!0,r);var a=Le();e.render(e.renderOptions);var i=e.lastDrawTime=Le();void 0===e.averageRedrawTime&&(e.averageRedrawTime=i-a),void 0===e.redrawCount&&(e.redrawCount=0),e.redrawCount++,void 0===e.redrawTotalTime&&(e.redrawTotalTime=0);var o=i-a;e.redrawTotalTime+=o,e.lastRedrawTime=o,e.averageRedrawTime=e.averageRedrawTime/2+o/2,e.requestedFrame=!1}else ud(e,!1,r);e.skipFrame=!1,Ne(n)}};Ne(n)}};var cd=function(e){this.init(e)},dd=cd.prototype;dd.clientFunctions=["redrawHint","render","renderTo","matchCanvasSize","nodeShapeImpl","arrowShapeImpl"],dd.init=function(e){var t=this;t.options=e,t.cy=e.cy;var n=t.container=e.cy.container(),r=t.cy.window();if(r){var a=r.document,i=a.head,o="__________cytoscape_stylesheet",s="__________cytoscape_container",l=null!=a.getElementById(o);if(n.className.indexOf(s)<0&&(n.className=(n.className||"")+" "+s),!l){var u=a.createElement("style");u.id=o,u.textContent="."+s+" { position: relative; }",i.insertBefore(u,i.children[0])}"static"===r.getComputedStyle(n).getPropertyValue("position")&&it("A Cytoscape container has style position:static and so can not use UI extensions properly")}t.selection=[void 0,void 0,void 0,void 0,0],t.bezierProjPcts=[.05,.225,.4,.5,.6,.775,.95],t.hoverData={down:null,last:null,downTime:null,triggerMode:null,dragging:!1,initialPan:[null,null],capture:!1},t.dragData={possibleDragElements:[]},t.touchData={start:null,capture:!1,startPosition:[null,null,null,null,null,null],singleTouchStartTime:null,singleTouchMoved:!0,now:[null,null,null,null,null,null],earlier:[null,null,null,null,null,null]},t.redraws=0,t.showFps=e.showFps,t.debug=e.debug,t.webgl=e.webgl,t.hideEdgesOnViewport=e.hideEdgesOnViewport,t.textureOnViewport=e.textureOnViewport,t.wheelSensitivity=e.wheelSensitivity,t.motionBlurEnabled=e.motionBlur,t.forcedPixelRatio=G(e.pixelRatio)?e.pixelRatio:null,t.motionBlur=e.motionBlur,t.motionBlurOpacity=e.motionBlurOpacity,t.motionBlurTransparency=1-t.motionBlurOpacity,t.motionBlurPxRatio=1,t.mbPxRBlurry=1,t.minMbLowQualFrames=4,t.fullQualityMb=!1,t.clearedForMotionBlur=[],t.desktopTapThreshold=e.desktopTapThreshold,t.desktopTapThreshold2=e.desktopTapThreshold*e.desktopTapThreshold,t.touchTapThreshold=e.touchTapThreshold,t.touchTapThreshold2=e.touchTapThreshold*e.touchTapThreshold,t.tapholdDuration=500,t.bindings=[],t.beforeRenderCallbacks=[],t.beforeRenderPriorities={animations:400,eleCalcs:300,eleTxrDeq:200,lyrTxrDeq:150,lyrTxrSkip:100},t.registerNodeShapes(),t.registerArrowShapes(),t.registerCalculationListeners()},dd.notify=function(e,t){var n=this,r=n.cy;this.destroyed||("init"!==e?"destroy"!==e?(("add"===e||"remove"===e||"move"===e&&r.hasCompoundNodes()||"load"===e||"zorder"===e||"mount"===e)&&n.invalidateCachedZSortedEles(),"viewport"===e&&n.redrawHint("select",!0),"gc"===e&&n.redrawHint("gc",!0),"load"!==e&&"resize"!==e&&"mount"!==e||(n.invalidateContainerClientCoordsCache(),n.matchCanvasSize(n.container)),n.redrawHint("eles",!0),n.redrawHint("drag",!0),this.startRenderLoop(),this.redraw()):n.destroy():n.load())},dd.destroy=function(){var e=this;e.destroyed=!0,e.cy.stopAnimationLoop();for(var t=0;t<e.bindings.length;t++){var n=e.bindings[t],r=n.target;(r.off||r.removeEventListener).apply(r,n.args)}if(e.bindings=[],e.beforeRenderCallbacks=[],e.onUpdateEleCalcsFns=[],e.removeObserver&&e.removeObserver.disconnect(),e.styleObserver&&e.styleObserver.disconnect(),e.resizeObserver&&e.resizeObserver.disconnect(),e.labelCalcDiv)try{document.body.removeChild(e.labelCalcDiv)}catch(e){}},dd.isHeadless=function(){return!1},[yc,rd,ad,od,sd,ld].forEach((function(e){ye(dd,e)}));var hd=1e3/60,fd=function(e){return function(){var t=this,n=this.renderer;if(!t.dequeueingSetup){t.dequeueingSetup=!0;var r=Ae((function(){n.redrawHint("eles",!0),n.redrawHint("drag",!0),n.redraw()}),e.deqRedrawThreshold),a=e.priority||nt;n.beforeRender((function(a,i){var o=Le(),s=n.averageRedrawTime,l=n.lastRedrawTime,u=[],c=n.cy.extent(),d=n.getPixelRatio();for(a||n.flushRenderedStyleQueue();;){var h=Le(),f=h-o,p=h-i;if(l<hd){var g=hd-(a?s:0);if(p>=e.deqFastCost*g)break}else if(a){if(f>=e.deqCost*l||f>=e.deqAvgCost*s)break}else if(p>=e.deqNoDrawCost*hd)break;var v=e.deq(t,d,c);if(!(v.length>0))break;for(var y=0;y<v.length;y++)u.push(v[y])}u.length>0&&(e.onDeqd(t,u),!a&&e.shouldRedraw(t,u,d,c)&&r())}),a(t))}}},pd=function(){return n((function e(n){var r=arguments.length>1&&void 0!==arguments[1]?arguments[1]:et;t(this,e),this.idsByKey=new gt,this.keyForId=new gt,this.cachesByLvl=new gt,this.lvls=[],this.getKey=n,this.doesEleInvalidateKey=r}),[{key:"getIdsFor",value:function(e){null==e&&rt("Can not get id list for null key");var t=this.idsByKey,n=this.idsByKey.get(e);return n||(n=new yt,t.set(e,n)),n}},{key:"addIdForKey",value:function(e,t){null!=e&&this.getIdsFor(e).add(t)}},{key:"deleteIdForKey",value:function(e,t){null!=e&&this.getIdsFor(e).delete(t)}},{key:"getNumberOfIdsForKey",value:function(e){return null==e?0:this.getIdsFor(e).size}},{key:"updateKeyMappingFor",value:function(e){var t=e.id(),n=this.keyForId.get(t),r=this.getKey(e);this.deleteIdForKey(n,t),this.addIdForKey(r,t),this.keyForId.set(t,r)}},{key:"deleteKeyMappingFor",value:function(e){var t=e.id(),n=this.keyForId.get(t);this.deleteIdForKey(n,t),this.keyForId.delete(t)}},{key:"keyHasChangedFor",value:function(e){var t=e.id();return this.keyForId.get(t)!==this.getKey(e)}},{key:"isInvalid",value:function(e){return this.keyHasChangedFor(e)||this.doesEleInvalidateKey(e)}},{key:"getCachesAt",value:function(e){var t=this.cachesByLvl,n=this.lvls,r=t.get(e);return r||(r=new gt,t.set(e,r),n.push(e)),r}},{key:"getCache",value:function(e,t){return this.getCachesAt(t).get(e)}},{key:"get",value:function(e,t){var n=this.getKey(e),r=this.getCache(n,t);return null!=r&&this.updateKeyMappingFor(e),r}},{key:"getForCachedKey",value:function(e,t){var n=this.keyForId.get(e.id());return this.getCache(n,t)}},{key:"hasCache",value:function(e,t){return this.getCachesAt(t).has(e)}},{key:"has",value:function(e,t){var n=this.getKey(e);return this.hasCache(n,t)}},{key:"setCache",value:function(e,t,n){n.key=e,this.getCachesAt(t).set(e,n)}},{key:"set",value:function(e,t,n){var r=this.getKey(e);this.setCache(r,t,n),this.updateKeyMappingFor(e)}},{key:"deleteCache",value:function(e,t){this.getCachesAt(t).delete(e)}},{key:"delete",value:function(e,t){var n=this.getKey(e);this.deleteCache(n,t)}},{key:"invalidateKey",value:function(e){var t=this;this.lvls.forEach((function(n){return t.deleteCache(e,n)}))}},{key:"invalidate",value:function(e){var t=e.id(),n=this.keyForId.get(t);this.deleteKeyMappingFor(e);var r=this.doesEleInvalidateKey(e);return r&&this.invalidateKey(n),r||0===this.getNumberOfIdsForKey(n)}}])}(),gd=7.99,vd={dequeue:"dequeue",downscale:"downscale",highQuality:"highQuality"},yd=ct({getKey:null,doesEleInvalidateKey:et,drawElement:null,getBoundingBox:null,getRotationPoint:null,getRotationOffset:null,isVisible:Je,allowEdgeTxrCaching:!0,allowParentTxrCaching:!0}),md=function(e,t){var n=this;n.renderer=e,n.onDequeues=[];var r=yd(t);ye(n,r),n.lookup=new pd(r.getKey,r.doesEleInvalidateKey),n.setupDequeueing()},bd=md.prototype;bd.reasons=vd,bd.getTextureQueue=function(e){var t=this;return t.eleImgCaches=t.eleImgCaches||{},t.eleImgCaches[e]=t.eleImgCaches[e]||[]},bd.getRetiredTextureQueue=function(e){var t=this.eleImgCaches.retired=this.eleImgCaches.retired||{};return t[e]=t[e]||[]},bd.getElementQueue=function(){return this.eleCacheQueue=this.eleCacheQueue||new Bt((function(e,t){return t.reqs-e.reqs}))},bd.getElementKeyToQueue=function(){return this.eleKeyToCacheQueue=this.eleKeyToCacheQueue||{}},bd.getElement=function(e,t,n,r,a){var i=this,o=this.renderer,s=o.cy.zoom(),l=this.lookup;if(!t||0===t.w||0===t.h||isNaN(t.w)||isNaN(t.h)||!e.visible()||e.removed())return null;if(!i.allowEdgeTxrCaching&&e.isEdge()||!i.allowParentTxrCaching&&e.isParent())return null;if(null==r&&(r=Math.ceil(Ht(s*n))),r<-4)r=-4;else if(s>=7.99||r>3)return null;var u=Math.pow(2,r),c=t.h*u,d=t.w*u,h=o.eleTextBiggerThanMin(e,u);if(!this.isVisible(e,h))return null;var f,p=l.get(e,r);if(p&&p.invalidated&&(p.invalidated=!1,p.texture.invalidatedWidth-=p.width),p)return p;if(f=c<=25?25:c<=50?50:50*Math.ceil(c/50),c>1024||d>1024)return null;var g=i.getTextureQueue(f),v=g[g.length-2],y=function(){return i.recycleTexture(f,d)||i.addTexture(f,d)};v||(v=g[g.length-1]),v||(v=y()),v.width-v.usedWidth<d&&(v=y());for(var m,b=function(e){return e&&e.scaledLabelShown===h},x=a&&a===vd.dequeue,w=a&&a===vd.highQuality,E=a&&a===vd.downscale,k=r+1;k<=3;k++){var T=l.get(e,k);if(T){m=T;break}}var C=m&&m.level===r+1?m:null,P=function(){v.context.drawImage(C.texture.canvas,C.x,0,C.width,C.height,v.usedWidth,0,d,c)};if(v.context.setTransform(1,0,0,1,0,0),v.context.clearRect(v.usedWidth,0,d,f),b(C))P();else if(b(m)){if(!w)return i.queueElement(e,m.level-1),m;for(var S=m.level;S>r;S--)C=i.getElement(e,t,n,S,vd.downscale);P()}else{var B;if(!x&&!w&&!E)for(var D=r-1;D>=-4;D--){var _=l.get(e,D);if(_){B=_;break}}if(b(B))return i.queueElement(e,r),B;v.context.translate(v.usedWidth,0),v.context.scale(u,u),this.drawElement(v.context,e,t,h,!1),v.context.scale(1/u,1/u),v.context.translate(-v.usedWidth,0)}return p={x:v.usedWidth,texture:v,level:r,scale:u,width:d,height:c,scaledLabelShown:h},v.usedWidth+=Math.ceil(d+8),v.eleCaches.push(p),l.set(e,r,p),i.checkTextureFullness(v),p},bd.invalidateElements=function(e){for(var t=0;t<e.length;t++)this.invalidateElement(e[t])},bd.invalidateElement=function(e){var t=this,n=t.lookup,r=[];if(n.isInvalid(e)){for(var a=-4;a<=3;a++){var i=n.getForCachedKey(e,a);i&&r.push(i)}if(n.invalidate(e))for(var o=0;o<r.length;o++){var s=r[o],l=s.texture;l.invalidatedWidth+=s.width,s.invalidated=!0,t.checkTextureUtility(l)}t.removeFromQueue(e)}},bd.checkTextureUtility=function(e){e.invalidatedWidth>=.2*e.width&&this.retireTexture(e)},bd.checkTextureFullness=function(e){var t=this.getTextureQueue(e.height);e.usedWidth/e.width>.8&&e.fullnessChecks>=10?dt(t,e):e.fullnessChecks++},bd.retireTexture=function(e){var t=e.height,n=this.getTextureQueue(t),r=this.lookup;dt(n,e),e.retired=!0;for(var a=e.eleCaches,i=0;i<a.length;i++){var o=a[i];r.deleteCache(o.key,o.level)}ht(a),this.getRetiredTextureQueue(t).push(e)},bd.addTexture=function(e,t){var n={};return this.getTextureQueue(e).push(n),n.eleCaches=[],n.height=e,n.width=Math.max(1024,t),n.usedWidth=0,n.invalidatedWidth=0,n.fullnessChecks=0,n.canvas=this.renderer.makeOffscreenCanvas(n.width,n.height),n.context=n.canvas.getContext("2d"),n},bd.recycleTexture=function(e,t){for(var n=this.getTextureQueue(e),r=this.getRetiredTextureQueue(e),a=0;a<r.length;a++){var i=r[a];if(i.width>=t)return i.retired=!1,i.usedWidth=0,i.invalidatedWidth=0,i.fullnessChecks=0,ht(i.eleCaches),i.context.setTransform(1,0,0,1,0,0),i.context.clearRect(0,0,i.width,i.height),dt(r,i),n.push(i),i}},bd.queueElement=function(e,t){var n=this.getElementQueue(),r=this.getElementKeyToQueue(),a=this.getKey(e),i=r[a];if(i)i.level=Math.max(i.level,t),i.eles.merge(e),i.reqs++,n.updateItem(i);else{var o={eles:e.spawn().merge(e),level:t,reqs:1,key:a};n.push(o),r[a]=o}},bd.dequeue=function(e){for(var t=this,n=t.getElementQueue(),r=t.getElementKeyToQueue(),a=[],i=t.lookup,o=0;o<1&&n.size()>0;o++){var s=n.pop(),l=s.key,u=s.eles[0],c=i.hasCache(u,s.level);if(r[l]=null,!c){a.push(s);var d=t.getBoundingBox(u);t.getElement(u,d,e,s.level,vd.dequeue)}}return a},bd.removeFromQueue=function(e){var t=this.getElementQueue(),n=this.getElementKeyToQueue(),r=this.getKey(e),a=n[r];null!=a&&(1===a.eles.length?(a.reqs=Qe,t.updateItem(a),t.pop(),n[r]=null):a.eles.unmerge(e))},bd.onDequeue=function(e){this.onDequeues.push(e)},bd.offDequeue=function(e){dt(this.onDequeues,e)},bd.setupDequeueing=fd({deqRedrawThreshold:100,deqCost:.15,deqAvgCost:.1,deqNoDrawCost:.9,deqFastCost:.9,deq:function(e,t,n){return e.dequeue(t,n)},onDeqd:function(e,t){for(var n=0;n<e.onDequeues.length;n++){(0,e.onDequeues[n])(t)}},shouldRedraw:function(e,t,n,r){for(var a=0;a<t.length;a++)for(var i=t[a].eles,o=0;o<i.length;o++){var s=i[o].boundingBox();if(sn(s,r))return!0}return!1},priority:function(e){return e.renderer.beforeRenderPriorities.eleTxrDeq}});var xd=function(e){var t=this,n=t.renderer=e,r=n.cy;t.layersByLevel={},t.firstGet=!0,t.lastInvalidationTime=Le()-500,t.skipping=!1,t.eleTxrDeqs=r.collection(),t.scheduleElementRefinement=Ae((function(){t.refineElementTextures(t.eleTxrDeqs),t.eleTxrDeqs.unmerge(t.eleTxrDeqs)}),50),n.beforeRender((function(e,n){n-t.lastInvalidationTime<=250?t.skipping=!0:t.skipping=!1}),n.beforeRenderPriorities.lyrTxrSkip);t.layersQueue=new Bt((function(e,t){return t.reqs-e.reqs})),t.setupDequeueing()},wd=xd.prototype,Ed=0,kd=Math.pow(2,53)-1;wd.makeLayer=function(e,t){var n=Math.pow(2,t),r=Math.ceil(e.w*n),a=Math.ceil(e.h*n),i=this.renderer.makeOffscreenCanvas(r,a),o={id:Ed=++Ed%kd,bb:e,level:t,width:r,height:a,canvas:i,context:i.getContext("2d"),eles:[],elesQueue:[],reqs:0},s=o.context,l=-o.bb.x1,u=-o.bb.y1;return s.scale(n,n),s.translate(l,u),o},wd.getLayers=function(e,t,n){var r=this,a=r.renderer.cy.zoom(),i=r.firstGet;if(r.firstGet=!1,null==n)if((n=Math.ceil(Ht(a*t)))<-4)n=-4;else if(a>=3.99||n>2)return null;r.validateLayersElesOrdering(n,e);var o,s,l=r.layersByLevel,u=Math.pow(2,n),c=l[n]=l[n]||[];if(r.levelIsComplete(n,e))return c;!function(){var t=function(t){if(r.validateLayersElesOrdering(t,e),r.levelIsComplete(t,e))return s=l[t],!0},a=function(e){if(!s)for(var r=n+e;-4<=r&&r<=2&&!t(r);r+=e);};a(1),a(-1);for(var i=c.length-1;i>=0;i--){var o=c[i];o.invalid&&dt(c,o)}}();var d=function(t){var a=(t=t||{}).after;!function(){if(!o){o=tn();for(var t=0;t<e.length;t++)n=o,r=e[t].boundingBox(),n.x1=Math.min(n.x1,r.x1),n.x2=Math.max(n.x2,r.x2),n.w=n.x2-n.x1,n.y1=Math.min(n.y1,r.y1),n.y2=Math.max(n.y2,r.y2),n.h=n.y2-n.y1}var n,r}();var i=Math.ceil(o.w*u),s=Math.ceil(o.h*u);if(i>32767||s>32767)return null;if(i*s>16e6)return null;var l=r.makeLayer(o,n);if(null!=a){var d=c.indexOf(a)+1;c.splice(d,0,l)}else(void 0===t.insert||t.insert)&&c.unshift(l);return l};if(r.skipping&&!i)return null;for(var h=null,f=e.length/1,p=!i,g=0;g<e.length;g++){var v=e[g],y=v._private.rscratch,m=y.imgLayerCaches=y.imgLayerCaches||{},b=m[n];if(b)h=b;else{if((!h||h.eles.length>=f||!cn(h.bb,v.boundingBox()))&&!(h=d({insert:!0,after:h})))return null;s||p?r.queueLayer(h,v):r.drawEleInLayer(h,v,n,t),h.eles.push(v),m[n]=h}}return s||(p?null:c)},wd.getEleLevelForLayerLevel=function(e,t){return e},wd.drawEleInLayer=function(e,t,n,r){var a=this.renderer,i=e.context,o=t.boundingBox();0!==o.w&&0!==o.h&&t.visible()&&(n=this.getEleLevelForLayerLevel(n,r),a.setImgSmoothing(i,!1),a.drawCachedElement(i,t,null,null,n,true),a.setImgSmoothing(i,!0))},wd.levelIsComplete=function(e,t){var n=this.layersByLevel[e];if(!n||0===n.length)return!1;for(var r=0,a=0;a<n.length;a++){var i=n[a];if(i.reqs>0)return!1;if(i.invalid)return!1;r+=i.eles.length}return r===t.length},wd.validateLayersElesOrdering=function(e,t){var n=this.layersByLevel[e];if(n)for(var r=0;r<n.length;r++){for(var a=n[r],i=-1,o=0;o<t.length;o++)if(a.eles[0]===t[o]){i=o;break}if(i<0)this.invalidateLayer(a);else{var s=i;for(o=0;o<a.eles.length;o++)if(a.eles[o]!==t[s+o]){this.invalidateLayer(a);break}}}},wd.updateElementsInLayers=function(e,t){for(var n=J(e[0]),r=0;r<e.length;r++)for(var a=n?null:e[r],i=n?e[r]:e[r].ele,o=i._private.rscratch,s=o.imgLayerCaches=o.imgLayerCaches||{},l=-4;l<=2;l++){var u=s[l];u&&(a&&this.getEleLevelForLayerLevel(u.level)!==a.level||t(u,i,a))}},wd.haveLayers=function(){for(var e=!1,t=-4;t<=2;t++){var n=this.layersByLevel[t];if(n&&n.length>0){e=!0;break}}return e},wd.invalidateElements=function(e){var t=this;0!==e.length&&(t.lastInvalidationTime=Le(),0!==e.length&&t.haveLayers()&&t.updateElementsInLayers(e,(function(e,n,r){t.invalidateLayer(e)})))},wd.invalidateLayer=function(e){if(this.lastInvalidationTime=Le(),!e.invalid){var t=e.level,n=e.eles,r=this.layersByLevel[t];dt(r,e),e.elesQueue=[],e.invalid=!0,e.replacement&&(e.replacement.invalid=!0);for(var a=0;a<n.length;a++){var i=n[a]._private.rscratch.imgLayerCaches;i&&(i[t]=null)}}},wd.refineElementTextures=function(e){var t=this;t.updateElementsInLayers(e,(function(e,n,r){var a=e.replacement;if(a||((a=e.replacement=t.makeLayer(e.bb,e.level)).replaces=e,a.eles=e.eles),!a.reqs)for(var i=0;i<a.eles.length;i++)t.queueLayer(a,a.eles[i])}))},wd.enqueueElementRefinement=function(e){this.eleTxrDeqs.merge(e),this.scheduleElementRefinement()},wd.queueLayer=function(e,t){var n=this.layersQueue,r=e.elesQueue,a=r.hasId=r.hasId||{};if(!e.replacement){if(t){if(a[t.id()])return;r.push(t),a[t.id()]=!0}e.reqs?(e.reqs++,n.updateItem(e)):(e.reqs=1,n.push(e))}},wd.dequeue=function(e){for(var t=this,n=t.layersQueue,r=[],a=0;a<1&&0!==n.size();){var i=n.peek();if(i.replacement)n.pop();else if(i.replaces&&i!==i.replaces.replacement)n.pop();else if(i.invalid)n.pop();else{var o=i.elesQueue.shift();o&&(t.drawEleInLayer(i,o,i.level,e),a++),0===r.length&&r.push(!0),0===i.elesQueue.length&&(n.pop(),i.reqs=0,i.replaces&&t.applyLayerReplacement(i),t.requestRedraw())}}return r},wd.applyLayerReplacement=function(e){var t=this.layersByLevel[e.level],n=e.replaces,r=t.indexOf(n);if(!(r<0||n.invalid)){t[r]=e;for(var a=0;a<e.eles.length;a++){var i=e.eles[a]._private,o=i.imgLayerCaches=i.imgLayerCaches||{};o&&(o[e.level]=e)}this.requestRedraw()}},wd.requestRedraw=Ae((function(){var e=this.renderer;e.redrawHint("eles",!0),e.redrawHint("drag",!0),e.redraw()}),100),wd.setupDequeueing=fd({deqRedrawThreshold:50,deqCost:.15,deqAvgCost:.1,deqNoDrawCost:.9,deqFastCost:.9,deq:function(e,t){return e.dequeue(t)},onDeqd:nt,shouldRedraw:Je,priority:function(e){return e.renderer.beforeRenderPriorities.lyrTxrDeq}});var Td,Cd={};function Pd(e,t){for(var n=0;n<t.length;n++){var r=t[n];e.lineTo(r.x,r.y)}}function Sd(e,t,n){for(var r,a=0;a<t.length;a++){var i=t[a];0===a&&(r=i),e.lineTo(i.x,i.y)}e.quadraticCurveTo(n.x,n.y,r.x,r.y)}function Bd(e,t,n){e.beginPath&&e.beginPath();for(var r=t,a=0;a<r.length;a++){var i=r[a];e.lineTo(i.x,i.y)}var o=n,s=n[0];e.moveTo(s.x,s.y);for(a=1;a<o.length;a++){i=o[a];e.lineTo(i.x,i.y)}e.closePath&&e.closePath()}function Dd(e,t,n,r,a){e.beginPath&&e.beginPath(),e.arc(n,r,a,0,2*Math.PI,!1);var i=t,o=i[0];e.moveTo(o.x,o.y);for(var s=0;s<i.length;s++){var l=i[s];e.lineTo(l.x,l.y)}e.closePath&&e.closePath()}function _d(e,t,n,r){e.arc(t,n,r,0,2*Math.PI,!1)}Cd.arrowShapeImpl=function(e){return(Td||(Td={polygon:Pd,"triangle-backcurve":Sd,"triangle-tee":Bd,"circle-triangle":Dd,"triangle-cross":Bd,circle:_d}))[e]};var Ad={drawElement:function(e,t,n,r,a,i){t.isNode()?this.drawNode(e,t,n,r,a,i):this.drawEdge(e,t,n,r,a,i)},drawElementOverlay:function(e,t){t.isNode()?this.drawNodeOverlay(e,t):this.drawEdgeOverlay(e,t)},drawElementUnderlay:function(e,t){t.isNode()?this.drawNodeUnderlay(e,t):this.drawEdgeUnderlay(e,t)},drawCachedElementPortion:function(e,t,n,r,a,i,o,s){var l=this,u=n.getBoundingBox(t);if(0!==u.w&&0!==u.h){var c=n.getElement(t,u,r,a,i);if(null!=c){var d=s(l,t);if(0===d)return;var h,f,p,g,v,y,m=o(l,t),b=u.x1,x=u.y1,w=u.w,E=u.h;if(0!==m){var k=n.getRotationPoint(t);p=k.x,g=k.y,e.translate(p,g),e.rotate(m),(v=l.getImgSmoothing(e))||l.setImgSmoothing(e,!0);var T=n.getRotationOffset(t);h=T.x,f=T.y}else h=b,f=x;1!==d&&(y=e.globalAlpha,e.globalAlpha=y*d),e.drawImage(c.texture.canvas,c.x,0,c.width,c.height,h,f,w,E),1!==d&&(e.globalAlpha=y),0!==m&&(e.rotate(-m),e.translate(-p,-g),v||l.setImgSmoothing(e,!1))}else n.drawElement(e,t)}}},Md=function(){return 0},Rd=function(e,t){return e.getTextAngle(t,null)},Id=function(e,t){return e.getTextAngle(t,"source")},Nd=function(e,t){return e.getTextAngle(t,"target")},Ld=function(e,t){return t.effectiveOpacity()},zd=function(e,t){return t.pstyle("text-opacity").pfValue*t.effectiveOpacity()};Ad.drawCachedElement=function(e,t,n,r,a,i){var o=this,s=o.data,l=s.eleTxrCache,u=s.lblTxrCache,c=s.slbTxrCache,d=s.tlbTxrCache,h=t.boundingBox(),f=!0===i?l.reasons.highQuality:null;if(0!==h.w&&0!==h.h&&t.visible()&&(!r||sn(h,r))){var p=t.isEdge(),g=t.element()._private.rscratch.badLine;o.drawElementUnderlay(e,t),o.drawCachedElementPortion(e,t,l,n,a,f,Md,Ld),p&&g||o.drawCachedElementPortion(e,t,u,n,a,f,Rd,zd),p&&!g&&(o.drawCachedElementPortion(e,t,c,n,a,f,Id,zd),o.drawCachedElementPortion(e,t,d,n,a,f,Nd,zd)),o.drawElementOverlay(e,t)}},Ad.drawElements=function(e,t){for(var n=0;n<t.length;n++){var r=t[n];this.drawElement(e,r)}},Ad.drawCachedElements=function(e,t,n,r){for(var a=0;a<t.length;a++){var i=t[a];this.drawCachedElement(e,i,n,r)}},Ad.drawCachedNodes=function(e,t,n,r){for(var a=0;a<t.length;a++){var i=t[a];i.isNode()&&this.drawCachedElement(e,i,n,r)}},Ad.drawLayeredElements=function(e,t,n,r){var a=this.data.lyrTxrCache.getLayers(t,n);if(a)for(var i=0;i<a.length;i++){var o=a[i],s=o.bb;0!==s.w&&0!==s.h&&e.drawImage(o.canvas,s.x1,s.y1,s.w,s.h)}else this.drawCachedElements(e,t,n,r)};var Od={drawEdge:function(e,t,n){var r=!(arguments.length>3&&void 0!==arguments[3])||arguments[3],a=!(arguments.length>4&&void 0!==arguments[4])||arguments[4],i=!(arguments.length>5&&void 0!==arguments[5])||arguments[5],o=this,s=t._private.rscratch;if((!i||t.visible())&&!s.badLine&&null!=s.allpts&&!isNaN(s.allpts[0])){var l;n&&(l=n,e.translate(-l.x1,-l.y1));var u=i?t.pstyle("opacity").value:1,c=i?t.pstyle("line-opacity").value:1,d=t.pstyle("curve-style").value,h=t.pstyle("line-style").value,f=t.pstyle("width").pfValue,p=t.pstyle("line-cap").value,g=t.pstyle("line-outline-width").value,v=t.pstyle("line-outline-color").value,y=u*c,m=u*c,b=function(){var n=arguments.length>0&&void 0!==arguments[0]?arguments[0]:y;"straight-triangle"===d?(o.eleStrokeStyle(e,t,n),o.drawEdgeTrianglePath(t,e,s.allpts)):(e.lineWidth=f,e.lineCap=p,o.eleStrokeStyle(e,t,n),o.drawEdgePath(t,e,s.allpts,h),e.lineCap="butt")},x=function(){var n=arguments.length>0&&void 0!==arguments[0]?arguments[0]:m;o.drawArrowheads(e,t,n)};if(e.lineJoin="round","yes"===t.pstyle("ghost").value){var w=t.pstyle("ghost-offset-x").pfValue,E=t.pstyle("ghost-offset-y").pfValue,k=t.pstyle("ghost-opacity").value,T=y*k;e.translate(w,E),b(T),x(T),e.translate(-w,-E)}else!function(){var n=arguments.length>0&&void 0!==arguments[0]?arguments[0]:y;e.lineWidth=f+g,e.lineCap=p,g>0?(o.colorStrokeStyle(e,v[0],v[1],v[2],n),"straight-triangle"===d?o.drawEdgeTrianglePath(t,e,s.allpts):(o.drawEdgePath(t,e,s.allpts,h),e.lineCap="butt")):e.lineCap="butt"}();a&&o.drawEdgeUnderlay(e,t),b(),x(),a&&o.drawEdgeOverlay(e,t),o.drawElementText(e,t,null,r),n&&e.translate(l.x1,l.y1)}}},Vd=function(e){if(!["overlay","underlay"].includes(e))throw new Error("Invalid state");return function(t,n){if(n.visible()){var r=n.pstyle("".concat(e,"-opacity")).value;if(0!==r){var a=this,i=a.usePaths(),o=n._private.rscratch,s=2*n.pstyle("".concat(e,"-padding")).pfValue,l=n.pstyle("".concat(e,"-color")).value;t.lineWidth=s,"self"!==o.edgeType||i?t.lineCap="round":t.lineCap="butt",a.colorStrokeStyle(t,l[0],l[1],l[2],r),a.drawEdgePath(n,t,o.allpts,"solid")}}}};Od.drawEdgeOverlay=Vd("overlay"),Od.drawEdgeUnderlay=Vd("underlay"),Od.drawEdgePath=function(e,t,n,a){var i,o=e._private.rscratch,s=t,l=!1,u=this.usePaths(),c=e.pstyle("line-dash-pattern").pfValue,d=e.pstyle("line-dash-offset").pfValue;if(u){var h=n.join("$");o.pathCacheKey&&o.pathCacheKey===h?(i=t=o.pathCache,l=!0):(i=t=new Path2D,o.pathCacheKey=h,o.pathCache=i)}if(s.setLineDash)switch(a){case"dotted":s.setLineDash([1,1]);break;case"dashed":s.setLineDash(c),s.lineDashOffset=d;break;case"solid":s.setLineDash([])}if(!l&&!o.badLine)switch(t.beginPath&&t.beginPath(),t.moveTo(n[0],n[1]),o.edgeType){case"bezier":case"self":case"compound":case"multibezier":for(var f=2;f+3<n.length;f+=4)t.quadraticCurveTo(n[f],n[f+1],n[f+2],n[f+3]);break;case"straight":case"haystack":for(var p=2;p+1<n.length;p+=2)t.lineTo(n[p],n[p+1]);break;case"segments":if(o.isRound){var g,v=r(o.roundCorners);try{for(v.s();!(g=v.n()).done;){Xc(t,g.value)}}catch(e){v.e(e)}finally{v.f()}t.lineTo(n[n.length-2],n[n.length-1])}else for(var y=2;y+1<n.length;y+=2)t.lineTo(n[y],n[y+1])}t=s,u?t.stroke(i):t.stroke(),t.setLineDash&&t.setLineDash([])},Od.drawEdgeTrianglePath=function(e,t,n){t.fillStyle=t.strokeStyle;for(var r=e.pstyle("width").pfValue,a=0;a+1<n.length;a+=2){var i=[n[a+2]-n[a],n[a+3]-n[a+1]],o=Math.sqrt(i[0]*i[0]+i[1]*i[1]),s=[i[1]/o,-i[0]/o],l=[s[0]*r/2,s[1]*r/2];t.beginPath(),t.moveTo(n[a]-l[0],n[a+1]-l[1]),t.lineTo(n[a]+l[0],n[a+1]+l[1]),t.lineTo(n[a+2],n[a+3]),t.closePath(),t.fill()}},Od.drawArrowheads=function(e,t,n){var r=t._private.rscratch,a="haystack"===r.edgeType;a||this.drawArrowhead(e,t,"source",r.arrowStartX,r.arrowStartY,r.srcArrowAngle,n),this.drawArrowhead(e,t,"mid-target",r.midX,r.midY,r.midtgtArrowAngle,n),this.drawArrowhead(e,t,"mid-source",r.midX,r.midY,r.midsrcArrowAngle,n),a||this.drawArrowhead(e,t,"target",r.arrowEndX,r.arrowEndY,r.tgtArrowAngle,n)},Od.drawArrowhead=function(e,t,n,r,a,i,o){if(!(isNaN(r)||null==r||isNaN(a)||null==a||isNaN(i)||null==i)){var s=this,l=t.pstyle(n+"-arrow-shape").value;if("none"!==l){var u="hollow"===t.pstyle(n+"-arrow-fill").value?"both":"filled",c=t.pstyle(n+"-arrow-fill").value,d=t.pstyle("width").pfValue,h=t.pstyle(n+"-arrow-width"),f="match-line"===h.value?d:h.pfValue;"%"===h.units&&(f*=d);var p=t.pstyle("opacity").value;void 0===o&&(o=p);var g=e.globalCompositeOperation;1===o&&"hollow"!==c||(e.globalCompositeOperation="destination-out",s.colorFillStyle(e,255,255,255,1),s.colorStrokeStyle(e,255,255,255,1),s.drawArrowShape(t,e,u,d,l,f,r,a,i),e.globalCompositeOperation=g);var v=t.pstyle(n+"-arrow-color").value;s.colorFillStyle(e,v[0],v[1],v[2],o),s.colorStrokeStyle(e,v[0],v[1],v[2],o),s.drawArrowShape(t,e,c,d,l,f,r,a,i)}}},Od.drawArrowShape=function(e,t,n,r,a,i,o,s,l){var u,c=this,d=this.usePaths()&&"triangle-cross"!==a,h=!1,f=t,p={x:o,y:s},g=e.pstyle("arrow-scale").value,v=this.getArrowWidth(r,g),y=c.arrowShapes[a];if(d){var m=c.arrowPathCache=c.arrowPathCache||[],b=We(a),x=m[b];null!=x?(u=t=x,h=!0):(u=t=new Path2D,m[b]=u)}h||(t.beginPath&&t.beginPath(),d?y.draw(t,1,0,{x:0,y:0},1):y.draw(t,v,l,p,r),t.closePath&&t.closePath()),t=f,d&&(t.translate(o,s),t.rotate(l),t.scale(v,v)),"filled"!==n&&"both"!==n||(d?t.fill(u):t.fill()),"hollow"!==n&&"both"!==n||(t.lineWidth=i/(d?v:1),t.lineJoin="miter",d?t.stroke(u):t.stroke()),d&&(t.scale(1/v,1/v),t.rotate(-l),t.translate(-o,-s))};var Fd={safeDrawImage:function(e,t,n,r,a,i,o,s,l,u){if(!(a<=0||i<=0||l<=0||u<=0))try{e.drawImage(t,n,r,a,i,o,s,l,u)}catch(e){it(e)}},drawInscribedImage:function(e,t,n,r,a){var i=this,o=n.position(),s=o.x,l=o.y,u=n.cy().style(),c=u.getIndexedStyle.bind(u),d=c(n,"background-fit","value",r),h=c(n,"background-repeat","value",r),f=n.width(),p=n.height(),g=2*n.padding(),v=f+("inner"===c(n,"background-width-relative-to","value",r)?0:g),y=p+("inner"===c(n,"background-height-relative-to","value",r)?0:g),m=n._private.rscratch,b="node"===c(n,"background-clip","value",r),x=c(n,"background-image-opacity","value",r)*a,w=c(n,"background-image-smoothing","value",r),E=n.pstyle("corner-radius").value;"auto"!==E&&(E=n.pstyle("corner-radius").pfValue);var k=t.width||t.cachedW,T=t.height||t.cachedH;null!=k&&null!=T||(document.body.appendChild(t),k=t.cachedW=t.width||t.offsetWidth,T=t.cachedH=t.height||t.offsetHeight,document.body.removeChild(t));var C=k,P=T;if("auto"!==c(n,"background-width","value",r)&&(C="%"===c(n,"background-width","units",r)?c(n,"background-width","pfValue",r)*v:c(n,"background-width","pfValue",r)),"auto"!==c(n,"background-height","value",r)&&(P="%"===c(n,"background-height","units",r)?c(n,"background-height","pfValue",r)*y:c(n,"background-height","pfValue",r)),0!==C&&0!==P){if("contain"===d)C*=S=Math.min(v/C,y/P),P*=S;else if("cover"===d){var S;C*=S=Math.max(v/C,y/P),P*=S}var B=s-v/2,D=c(n,"background-position-x","units",r),_=c(n,"background-position-x","pfValue",r);B+="%"===D?(v-C)*_:_;var A=c(n,"background-offset-x","units",r),M=c(n,"background-offset-x","pfValue",r);B+="%"===A?(v-C)*M:M;var R=l-y/2,I=c(n,"background-position-y","units",r),N=c(n,"background-position-y","pfValue",r);R+="%"===I?(y-P)*N:N;var L=c(n,"background-offset-y","units",r),z=c(n,"background-offset-y","pfValue",r);R+="%"===L?(y-P)*z:z,m.pathCache&&(B-=s,R-=l,s=0,l=0);var O=e.globalAlpha;e.globalAlpha=x;var V=i.getImgSmoothing(e),F=!1;if("no"===w&&V?(i.setImgSmoothing(e,!1),F=!0):"yes"!==w||V||(i.setImgSmoothing(e,!0),F=!0),"no-repeat"===h)b&&(e.save(),m.pathCache?e.clip(m.pathCache):(i.nodeShapes[i.getNodeShape(n)].draw(e,s,l,v,y,E,m),e.clip())),i.safeDrawImage(e,t,0,0,k,T,B,R,C,P),b&&e.restore();else{var X=e.createPattern(t,h);e.fillStyle=X,i.nodeShapes[i.getNodeShape(n)].draw(e,s,l,v,y,E,m),e.translate(B,R),e.fill(),e.translate(-B,-R)}e.globalAlpha=O,F&&i.setImgSmoothing(e,V)}}},Xd={};function jd(e,t,n,r,a){var i=arguments.length>5&&void 0!==arguments[5]?arguments[5]:5,o=Math.min(i,r/2,a/2);e.beginPath(),e.moveTo(t+o,n),e.lineTo(t+r-o,n),e.quadraticCurveTo(t+r,n,t+r,n+o),e.lineTo(t+r,n+a-o),e.quadraticCurveTo(t+r,n+a,t+r-o,n+a),e.lineTo(t+o,n+a),e.quadraticCurveTo(t,n+a,t,n+a-o),e.lineTo(t,n+o),e.quadraticCurveTo(t,n,t+o,n),e.closePath()}Xd.eleTextBiggerThanMin=function(e,t){if(!t){var n=e.cy().zoom(),r=this.getPixelRatio(),a=Math.ceil(Ht(n*r));t=Math.pow(2,a)}return!(e.pstyle("font-size").pfValue*t<e.pstyle("min-zoomed-font-size").pfValue)},Xd.drawElementText=function(e,t,n,r,a){var i=!(arguments.length>5&&void 0!==arguments[5])||arguments[5],o=this;if(null==r){if(i&&!o.eleTextBiggerThanMin(t))return}else if(!1===r)return;if(t.isNode()){var s=t.pstyle("label");if(!s||!s.value)return;var l=o.getLabelJustification(t),u="glyph"===t.pstyle("text-metrics").strValue;e.textAlign=l,e.textBaseline=u?"alphabetic":"bottom"}else{var c=t.element()._private.rscratch.badLine,d=t.pstyle("label"),h=t.pstyle("source-label"),f=t.pstyle("target-label");if(c||(!d||!d.value)&&(!h||!h.value)&&(!f||!f.value))return;e.textAlign="center",e.textBaseline="bottom"}var p,g=!n;n&&(p=n,e.translate(-p.x1,-p.y1)),null==a?(o.drawText(e,t,null,g,i),t.isEdge()&&(o.drawText(e,t,"source",g,i),o.drawText(e,t,"target",g,i))):o.drawText(e,t,a,g,i),n&&e.translate(p.x1,p.y1)},Xd.getFontCache=function(e){var t;this.fontCaches=this.fontCaches||[];for(var n=0;n<this.fontCaches.length;n++)if((t=this.fontCaches[n]).context===e)return t;return t={context:e},this.fontCaches.push(t),t},Xd.setupTextStyle=function(e,t){var n=!(arguments.length>2&&void 0!==arguments[2])||arguments[2],r=t.pstyle("font-style").strValue,a=t.pstyle("font-size").pfValue+"px",i=t.pstyle("font-family").strValue,o=t.pstyle("font-weight").strValue,s=n?t.effectiveOpacity()*t.pstyle("text-opacity").value:1,l=t.pstyle("text-outline-opacity").value*s,u=t.pstyle("color").value,c=t.pstyle("text-outline-color").value;e.font=r+" "+o+" "+a+" "+i,e.lineJoin="round",this.colorFillStyle(e,u[0],u[1],u[2],s),this.colorStrokeStyle(e,c[0],c[1],c[2],l)},Xd.getTextAngle=function(e,t){var n,r=e._private.rscratch,a=t?t+"-":"",i=e.pstyle(a+"text-rotation");if("autorotate"===i.strValue){var o=ft(r,"labelAngle",t);n=e.isEdge()?o:0}else n="none"===i.strValue?0:i.pfValue;return n},Xd.drawText=function(e,t,n){var r=!(arguments.length>3&&void 0!==arguments[3])||arguments[3],a=!(arguments.length>4&&void 0!==arguments[4])||arguments[4],i=t._private.rscratch,o=a?t.effectiveOpacity():1;if(!a||0!==o&&0!==t.pstyle("text-opacity").value){"main"===n&&(n=null);var s,l,u=ft(i,"labelX",n),c=ft(i,"labelY",n),d=this.getLabelText(t,n);if(null!=d&&""!==d&&!isNaN(u)&&!isNaN(c)){this.setupTextStyle(e,t,a);var h,f=n?n+"-":"",p=ft(i,"labelWidth",n),g=ft(i,"labelHeight",n),v=ft(i,"labelActualDescent",n),y=t.pstyle(f+"text-margin-x").pfValue,m=t.pstyle(f+"text-margin-y").pfValue,b=t.isEdge(),x=t.pstyle("text-halign").value,w=t.pstyle("text-valign").value;b&&(x="center",w="center"),u+=y,c+=m,0!==(h=r?this.getTextAngle(t,n):0)&&(s=u,l=c,e.translate(s,l),e.rotate(h),u=0,c=0);var E=Bs(x),k=Ds(w);switch(k){case"top":break;case"center":c+=g/2;break;case"bottom":c+=g}var T=t.pstyle("text-background-opacity").value,C=t.pstyle("text-border-opacity").value,P=t.pstyle("text-border-width").pfValue,S=t.pstyle("text-background-padding").pfValue,B=t.pstyle("text-background-shape").strValue,D="round-rectangle"===B||"roundrectangle"===B,_="circle"===B;if(T>0||P>0&&C>0){var A=e.fillStyle,M=e.strokeStyle,R=e.lineWidth,I=t.pstyle("text-background-color").value,N=t.pstyle("text-border-color").value,L=t.pstyle("text-border-style").value,z=T>0,O=P>0&&C>0,V=u-S;switch(E){case"left":V-=p;break;case"center":V-=p/2}var F=c-g-S,X=p+2*S,j=g+2*S;if(z&&(e.fillStyle="rgba(".concat(I[0],",").concat(I[1],",").concat(I[2],",").concat(T*o,")")),O&&(e.strokeStyle="rgba(".concat(N[0],",").concat(N[1],",").concat(N[2],",").concat(C*o,")"),e.lineWidth=P,e.setLineDash))switch(L){case"dotted":e.setLineDash([1,1]);break;case"dashed":e.setLineDash([4,2]);break;case"double":e.lineWidth=P/4,e.setLineDash([]);break;default:e.setLineDash([])}if(D?(e.beginPath(),jd(e,V,F,X,j,2)):_?(e.beginPath(),function(e,t,n,r,a){var i=Math.min(r,a)/2,o=t+r/2,s=n+a/2;e.beginPath(),e.arc(o,s,i,0,2*Math.PI),e.closePath()}(e,V,F,X,j)):(e.beginPath(),e.rect(V,F,X,j)),z&&e.fill(),O&&e.stroke(),O&&"double"===L){var Y=P/2;e.beginPath(),D?jd(e,V+Y,F+Y,X-2*Y,j-2*Y,2):e.rect(V+Y,F+Y,X-2*Y,j-2*Y),e.stroke()}e.fillStyle=A,e.strokeStyle=M,e.lineWidth=R,e.setLineDash&&e.setLineDash([])}var q=2*t.pstyle("text-outline-width").pfValue;if(q>0&&(e.lineWidth=q),c-=v,"wrap"===t.pstyle("text-wrap").value){var W=ft(i,"labelWrapCachedLines",n),U=ft(i,"labelLineHeight",n),H=p/2,K=this.getLabelJustification(t);switch("auto"===K||("left"===E?"left"===K?u+=-p:"center"===K&&(u+=-H):"center"===E?"left"===K?u+=-H:"right"===K&&(u+=H):"right"===E&&("center"===K?u+=H:"right"===K&&(u+=p))),k){case"top":case"center":case"bottom":c-=(W.length-1)*U}for(var G=0;G<W.length;G++)q>0&&e.strokeText(W[G],u,c),e.fillText(W[G],u,c),c+=U}else q>0&&e.strokeText(d,u,c),e.fillText(d,u,c);0!==h&&(e.rotate(-h),e.translate(-s,-l))}}};var Yd={drawNode:function(e,t,n){var r,a,i=!(arguments.length>3&&void 0!==arguments[3])||arguments[3],o=!(arguments.length>4&&void 0!==arguments[4])||arguments[4],s=!(arguments.length>5&&void 0!==arguments[5])||arguments[5],l=this,u=t._private,c=u.rscratch,d=t.position();if(G(d.x)&&G(d.y)&&(!s||t.visible())){var h,f,p=s?t.effectiveOpacity():1,g=l.usePaths(),v=!1,y=t.padding();r=t.width()+2*y,a=t.height()+2*y,n&&(f=n,e.translate(-f.x1,-f.y1));for(var m=t.pstyle("background-image").value,b=new Array(m.length),x=new Array(m.length),w=0,E=0;E<m.length;E++){var k=m[E];if(b[E]=null!=k&&"none"!==k){var T=t.cy().style().getIndexedStyle(t,"background-image-crossorigin","value",E);w++,x[E]=l.getCachedImage(k,T,(function(){u.backgroundTimestamp=Date.now(),t.emitAndNotify("background")}))}}var C=t.pstyle("background-blacken").value,P=t.pstyle("border-width").pfValue,S=t.pstyle("background-opacity").value*p,B=t.pstyle("border-color").value,D=t.pstyle("border-style").value,_=t.pstyle("border-join").value,A=t.pstyle("border-cap").value,M=t.pstyle("border-position").value,R=t.pstyle("border-dash-pattern").pfValue,I=t.pstyle("border-dash-offset").pfValue,N=t.pstyle("border-opacity").value*p,L=t.pstyle("outline-width").pfValue,z=t.pstyle("outline-color").value,O=t.pstyle("outline-style").value,V=t.pstyle("outline-opacity").value*p,F=t.pstyle("outline-offset").value,X=t.pstyle("corner-radius").value;"auto"!==X&&(X=t.pstyle("corner-radius").pfValue);var j=function(){var n=arguments.length>0&&void 0!==arguments[0]?arguments[0]:S;l.eleFillStyle(e,t,n)},Y=function(){var t=arguments.length>0&&void 0!==arguments[0]?arguments[0]:N;l.colorStrokeStyle(e,B[0],B[1],B[2],t)},q=function(){var t=arguments.length>0&&void 0!==arguments[0]?arguments[0]:V;l.colorStrokeStyle(e,z[0],z[1],z[2],t)},W=function(e,t,n,r){var a,i=l.nodePathCache=l.nodePathCache||[],o=Ue("polygon"===n?n+","+r.join(","):n,""+t,""+e,""+X),s=i[o],u=!1;return null!=s?(a=s,u=!0,c.pathCache=a):(a=new Path2D,i[o]=c.pathCache=a),{path:a,cacheHit:u}},U=t.pstyle("shape").strValue,H=t.pstyle("shape-polygon-points").pfValue;if(g){e.translate(d.x,d.y);var K=W(r,a,U,H);h=K.path,v=K.cacheHit}var Z=function(){if(!v){var n=d;g&&(n={x:0,y:0}),l.nodeShapes[l.getNodeShape(t)].draw(h||e,n.x,n.y,r,a,X,c)}g?e.fill(h):e.fill()},$=function(){for(var n=arguments.length>0&&void 0!==arguments[0]?arguments[0]:p,r=!(arguments.length>1&&void 0!==arguments[1])||arguments[1],a=u.backgrounding,i=0,o=0;o<x.length;o++){var s=t.cy().style().getIndexedStyle(t,"background-image-containment","value",o);r&&"over"===s||!r&&"inside"===s?i++:b[o]&&x[o].complete&&!x[o].error&&(i++,l.drawInscribedImage(e,x[o],t,o,n))}u.backgrounding=!(i===w),a!==u.backgrounding&&t.updateStyle(!1)},Q=function(){var n=arguments.length>0&&void 0!==arguments[0]&&arguments[0],i=arguments.length>1&&void 0!==arguments[1]?arguments[1]:p;l.hasPie(t)&&(l.drawPie(e,t,i),n&&(g||l.nodeShapes[l.getNodeShape(t)].draw(e,d.x,d.y,r,a,X,c)))},J=function(){var n=arguments.length>0&&void 0!==arguments[0]&&arguments[0],i=arguments.length>1&&void 0!==arguments[1]?arguments[1]:p;l.hasStripe(t)&&(e.save(),g?e.clip(c.pathCache):(l.nodeShapes[l.getNodeShape(t)].draw(e,d.x,d.y,r,a,X,c),e.clip()),l.drawStripe(e,t,i),e.restore(),n&&(g||l.nodeShapes[l.getNodeShape(t)].draw(e,d.x,d.y,r,a,X,c)))},ee=function(){var t=(C>0?C:-C)*(arguments.length>0&&void 0!==arguments[0]?arguments[0]:p),n=C>0?0:255;0!==C&&(l.colorFillStyle(e,n,n,n,t),g?e.fill(h):e.fill())},te=function(){if(P>0){if(e.lineWidth=P,e.lineCap=A,e.lineJoin=_,e.setLineDash)switch(D){case"dotted":e.setLineDash([1,1]);break;case"dashed":e.setLineDash(R),e.lineDashOffset=I;break;case"solid":case"double":e.setLineDash([])}if("center"!==M){if(e.save(),e.lineWidth*=2,"inside"===M)g?e.clip(h):e.clip();else{var t=new Path2D;t.rect(-r/2-P,-a/2-P,r+2*P,a+2*P),t.addPath(h),e.clip(t,"evenodd")}g?e.stroke(h):e.stroke(),e.restore()}else g?e.stroke(h):e.stroke();if("double"===D){e.lineWidth=P/3;var n=e.globalCompositeOperation;e.globalCompositeOperation="destination-out",g?e.stroke(h):e.stroke(),e.globalCompositeOperation=n}e.setLineDash&&e.setLineDash([])}},ne=function(){if(L>0){if(e.lineWidth=L,e.lineCap="butt",e.setLineDash)switch(O){case"dotted":e.setLineDash([1,1]);break;case"dashed":e.setLineDash([4,2]);break;case"solid":case"double":e.setLineDash([])}var n=d;g&&(n={x:0,y:0});var i=l.getNodeShape(t),o=P;"inside"===M&&(o=0),"outside"===M&&(o*=2);var s,u=(r+o+(L+F))/r,c=(a+o+(L+F))/a,h=r*u,f=a*c,p=l.nodeShapes[i].points;if(g)s=W(h,f,i,p).path;if("ellipse"===i)l.drawEllipsePath(s||e,n.x,n.y,h,f);else if(["round-diamond","round-heptagon","round-hexagon","round-octagon","round-pentagon","round-polygon","round-triangle","round-tag"].includes(i)){var v=0,y=0,m=0;"round-diamond"===i?v=1.4*(o+F+L):"round-heptagon"===i?(v=1.075*(o+F+L),m=-(o/2+F+L)/35):"round-hexagon"===i?v=1.12*(o+F+L):"round-pentagon"===i?(v=1.13*(o+F+L),m=-(o/2+F+L)/15):"round-tag"===i?(v=1.12*(o+F+L),y=.07*(o/2+L+F)):"round-triangle"===i&&(v=(o+F+L)*(Math.PI/2),m=-(o+F/2+L)/Math.PI),0!==v&&(h=r*(u=(r+v)/r),["round-hexagon","round-tag"].includes(i)||(f=a*(c=(a+v)/a)));for(var b=h/2,x=f/2,w=(X="auto"===X?Rn(h,f):X)+(o+L+F)/2,E=new Array(p.length/2),k=new Array(p.length/2),T=0;T<p.length/2;T++)E[T]={x:n.x+y+b*p[2*T],y:n.y+m+x*p[2*T+1]};var C,S,B,D,_=E.length;for(S=E[_-1],C=0;C<_;C++)B=E[C%_],D=E[(C+1)%_],k[C]=jc(S,B,D,w),S=B,B=D;l.drawRoundPolygonPath(s||e,n.x+y,n.y+m,r*u,a*c,p,k)}else if(["roundrectangle","round-rectangle"].includes(i))X="auto"===X?Mn(h,f):X,l.drawRoundRectanglePath(s||e,n.x,n.y,h,f,X+(o+L+F)/2);else if(["cutrectangle","cut-rectangle"].includes(i))X="auto"===X?8:X,l.drawCutRectanglePath(s||e,n.x,n.y,h,f,null,X+(o+L+F)/4);else if(["bottomroundrectangle","bottom-round-rectangle"].includes(i))X="auto"===X?Mn(h,f):X,l.drawBottomRoundRectanglePath(s||e,n.x,n.y,h,f,X+(o+L+F)/2);else if("barrel"===i)l.drawBarrelPath(s||e,n.x,n.y,h,f);else if(i.startsWith("polygon")||["rhomboid","right-rhomboid","round-tag","tag","vee"].includes(i)){p=xn(wn(p,(o+L+F)/r)),l.drawPolygonPath(s||e,n.x,n.y,r,a,p)}else{p=xn(wn(p,-((o+L+F)/r))),l.drawPolygonPath(s||e,n.x,n.y,r,a,p)}if(g?e.stroke(s):e.stroke(),"double"===O){e.lineWidth=o/3;var A=e.globalCompositeOperation;e.globalCompositeOperation="destination-out",g?e.stroke(s):e.stroke(),e.globalCompositeOperation=A}e.setLineDash&&e.setLineDash([])}};if("yes"===t.pstyle("ghost").value){var re=t.pstyle("ghost-offset-x").pfValue,ae=t.pstyle("ghost-offset-y").pfValue,ie=t.pstyle("ghost-opacity").value,oe=ie*p;e.translate(re,ae),q(),ne(),j(ie*S),Z(),$(oe,!0),Y(ie*N),te(),Q(0!==C||0!==P),J(0!==C||0!==P),$(oe,!1),ee(oe),e.translate(-re,-ae)}g&&e.translate(-d.x,-d.y),o&&l.drawNodeUnderlay(e,t,d,r,a),g&&e.translate(d.x,d.y),q(),ne(),j(),Z(),$(p,!0),Y(),te(),Q(0!==C||0!==P),J(0!==C||0!==P),$(p,!1),ee(),g&&e.translate(-d.x,-d.y),l.drawElementText(e,t,null,i),o&&l.drawNodeOverlay(e,t,d,r,a),n&&e.translate(f.x1,f.y1)}}},qd=function(e){if(!["overlay","underlay"].includes(e))throw new Error("Invalid state");return function(t,n,r,a,i){if(n.visible()){var o=n.pstyle("".concat(e,"-padding")).pfValue,s=n.pstyle("".concat(e,"-opacity")).value,l=n.pstyle("".concat(e,"-color")).value,u=n.pstyle("".concat(e,"-shape")).value,c=n.pstyle("".concat(e,"-corner-radius")).value;if(s>0){if(r=r||n.position(),null==a||null==i){var d=n.padding();a=n.width()+2*d,i=n.height()+2*d}this.colorFillStyle(t,l[0],l[1],l[2],s),this.nodeShapes[u].draw(t,r.x,r.y,a+2*o,i+2*o,c),t.fill()}}}};Yd.drawNodeOverlay=qd("overlay"),Yd.drawNodeUnderlay=qd("underlay"),Yd.hasPie=function(e){return(e=e[0])._private.hasPie},Yd.hasStripe=function(e){return(e=e[0])._private.hasStripe},Yd.drawPie=function(e,t,n,r){t=t[0],r=r||t.position();var a,i=t.cy().style(),o=t.pstyle("pie-size"),s=t.pstyle("pie-hole"),l=t.pstyle("pie-start-angle").pfValue,u=r.x,c=r.y,d=t.width(),h=t.height(),f=Math.min(d,h)/2,p=0;if(this.usePaths()&&(u=0,c=0),"%"===o.units?f*=o.pfValue:void 0!==o.pfValue&&(f=o.pfValue/2),"%"===s.units?a=f*s.pfValue:void 0!==s.pfValue&&(a=s.pfValue/2),!(a>=f))for(var g=1;g<=i.pieBackgroundN;g++){var v=t.pstyle("pie-"+g+"-background-size").value,y=t.pstyle("pie-"+g+"-background-color").value,m=t.pstyle("pie-"+g+"-background-opacity").value*n,b=v/100;b+p>1&&(b=1-p);var x=1.5*Math.PI+2*Math.PI*p,w=(x+=l)+2*Math.PI*b;0===v||p>=1||p+b>1||(0===a?(e.beginPath(),e.moveTo(u,c),e.arc(u,c,f,x,w),e.closePath()):(e.beginPath(),e.arc(u,c,f,x,w),e.arc(u,c,a,w,x,!0),e.closePath()),this.colorFillStyle(e,y[0],y[1],y[2],m),e.fill(),p+=b)}},Yd.drawStripe=function(e,t,n,r){t=t[0],r=r||t.position();var a=t.cy().style(),i=r.x,o=r.y,s=t.width(),l=t.height(),u=0,c=this.usePaths();e.save();var d=t.pstyle("stripe-direction").value,h=t.pstyle("stripe-size");switch(d){case"vertical":break;case"righward":e.rotate(-Math.PI/2)}var f=s,p=l;"%"===h.units?(f*=h.pfValue,p*=h.pfValue):void 0!==h.pfValue&&(f=h.pfValue,p=h.pfValue),c&&(i=0,o=0),o-=f/2,i-=p/2;for(var g=1;g<=a.stripeBackgroundN;g++){var v=t.pstyle("stripe-"+g+"-background-size").value,y=t.pstyle("stripe-"+g+"-background-color").value,m=t.pstyle("stripe-"+g+"-background-opacity").value*n,b=v/100;b+u>1&&(b=1-u),0===v||u>=1||u+b>1||(e.beginPath(),e.rect(i,o+p*u,f,p*b),e.closePath(),this.colorFillStyle(e,y[0],y[1],y[2],m),e.fill(),u+=b)}e.restore()};var Wd,Ud={};function Hd(e,t,n){var r=e.createShader(t);if(e.shaderSource(r,n),e.compileShader(r),!e.getShaderParameter(r,e.COMPILE_STATUS))throw new Error(e.getShaderInfoLog(r));return r}function Kd(e,t,n){void 0===n&&(n=t);var r=e.makeOffscreenCanvas(t,n),a=r.context=r.getContext("2d");return r.clear=function(){return a.clearRect(0,0,r.width,r.height)},r.clear(),r}function Gd(e){var t=e.pixelRatio,n=e.cy.zoom(),r=e.cy.pan();return{zoom:n*t,pan:{x:r.x*t,y:r.y*t}}}function Zd(e,t){return!!t.picking||"solid"===e.pstyle("background-fill").value&&("none"===e.pstyle("background-image").strValue&&(0===e.pstyle("border-width").value||(0===e.pstyle("border-opacity").value||"solid"===e.pstyle("border-style").value)))}function $d(e,t){if(e.length!==t.length)return!1;for(var n=0;n<e.length;n++)if(e[n]!==t[n])return!1;return!0}function Qd(e,t,n){var r=e[0]/255,a=e[1]/255,i=e[2]/255,o=t,s=n||new Array(4);return s[0]=r*o,s[1]=a*o,s[2]=i*o,s[3]=o,s}function Jd(e,t){var n=t||new Array(4);return n[0]=(255&e)/255,n[1]=(e>>8&255)/255,n[2]=(e>>16&255)/255,n[3]=(e>>24&255)/255,n}function eh(e){return e[0]+(e[1]<<8)+(e[2]<<16)+(e[3]<<24)}function th(e,t){switch(t){case"float":return[1,e.FLOAT,4];case"vec2":return[2,e.FLOAT,4];case"vec3":return[3,e.FLOAT,4];case"vec4":return[4,e.FLOAT,4];case"int":return[1,e.INT,4];case"ivec2":return[2,e.INT,4]}}function nh(e,t,n){switch(t){case e.FLOAT:return new Float32Array(n);case e.INT:return new Int32Array(n)}}function rh(e,t,n,r,a,i){switch(t){case e.FLOAT:return new Float32Array(n.buffer,i*r,a);case e.INT:return new Int32Array(n.buffer,i*r,a)}}function ah(e,t,n,r){var a=i(th(e,n),3),o=a[0],s=a[1],l=a[2],u=nh(e,s,t*o),c=o*l,d=e.createBuffer();e.bindBuffer(e.ARRAY_BUFFER,d),e.bufferData(e.ARRAY_BUFFER,t*c,e.DYNAMIC_DRAW),e.enableVertexAttribArray(r),s===e.FLOAT?e.vertexAttribPointer(r,o,s,!1,c,0):s===e.INT&&e.vertexAttribIPointer(r,o,s,c,0),e.vertexAttribDivisor(r,1),e.bindBuffer(e.ARRAY_BUFFER,null);for(var h=new Array(t),f=0;f<t;f++)h[f]=rh(e,s,u,c,o,f);return d.dataArray=u,d.stride=c,d.size=o,d.getView=function(e){return h[e]},d.setPoint=function(e,t,n){var r=h[e];r[0]=t,r[1]=n},d.bufferSubData=function(t){e.bindBuffer(e.ARRAY_BUFFER,d),t?e.bufferSubData(e.ARRAY_BUFFER,0,u,0,t*o):e.bufferSubData(e.ARRAY_BUFFER,0,u)},d}Ud.getPixelRatio=function(){var e=this.data.contexts[0];if(null!=this.forcedPixelRatio)return this.forcedPixelRatio;var t=this.cy.window(),n=e.backingStorePixelRatio||e.webkitBackingStorePixelRatio||e.mozBackingStorePixelRatio||e.msBackingStorePixelRatio||e.oBackingStorePixelRatio||e.backingStorePixelRatio||1;return(t.devicePixelRatio||1)/n},Ud.paintCache=function(e){for(var t,n=this.paintCaches=this.paintCaches||[],r=!0,a=0;a<n.length;a++)if((t=n[a]).context===e){r=!1;break}return r&&(t={context:e},n.push(t)),t},Ud.createGradientStyleFor=function(e,t,n,r,a){var i,o=this.usePaths(),s=n.pstyle(t+"-gradient-stop-colors").value,l=n.pstyle(t+"-gradient-stop-positions").pfValue;if("radial-gradient"===r)if(n.isEdge()){var u=n.sourceEndpoint(),c=n.targetEndpoint(),d=n.midpoint(),h=Gt(u,d),f=Gt(c,d);i=e.createRadialGradient(d.x,d.y,0,d.x,d.y,Math.max(h,f))}else{var p=o?{x:0,y:0}:n.position(),g=n.paddedWidth(),v=n.paddedHeight();i=e.createRadialGradient(p.x,p.y,0,p.x,p.y,Math.max(g,v))}else if(n.isEdge()){var y=n.sourceEndpoint(),m=n.targetEndpoint();i=e.createLinearGradient(y.x,y.y,m.x,m.y)}else{var b=o?{x:0,y:0}:n.position(),x=n.paddedWidth()/2,w=n.paddedHeight()/2;switch(n.pstyle("background-gradient-direction").value){case"to-bottom":i=e.createLinearGradient(b.x,b.y-w,b.x,b.y+w);break;case"to-top":i=e.createLinearGradient(b.x,b.y+w,b.x,b.y-w);break;case"to-left":i=e.createLinearGradient(b.x+x,b.y,b.x-x,b.y);break;case"to-right":i=e.createLinearGradient(b.x-x,b.y,b.x+x,b.y);break;case"to-bottom-right":case"to-right-bottom":i=e.createLinearGradient(b.x-x,b.y-w,b.x+x,b.y+w);break;case"to-top-right":case"to-right-top":i=e.createLinearGradient(b.x-x,b.y+w,b.x+x,b.y-w);break;case"to-bottom-left":case"to-left-bottom":i=e.createLinearGradient(b.x+x,b.y-w,b.x-x,b.y+w);break;case"to-top-left":case"to-left-top":i=e.createLinearGradient(b.x+x,b.y+w,b.x-x,b.y-w)}}if(!i)return null;for(var E=l.length===s.length,k=s.length,T=0;T<k;T++)i.addColorStop(E?l[T]:T/(k-1),"rgba("+s[T][0]+","+s[T][1]+","+s[T][2]+","+a+")");return i},Ud.gradientFillStyle=function(e,t,n,r){var a=this.createGradientStyleFor(e,"background",t,n,r);if(!a)return null;e.fillStyle=a},Ud.colorFillStyle=function(e,t,n,r,a){e.fillStyle="rgba("+t+","+n+","+r+","+a+")"},Ud.eleFillStyle=function(e,t,n){var r=t.pstyle("background-fill").value;if("linear-gradient"===r||"radial-gradient"===r)this.gradientFillStyle(e,t,r,n);else{var a=t.pstyle("background-color").value;this.colorFillStyle(e,a[0],a[1],a[2],n)}},Ud.gradientStrokeStyle=function(e,t,n,r){var a=this.createGradientStyleFor(e,"line",t,n,r);if(!a)return null;e.strokeStyle=a},Ud.colorStrokeStyle=function(e,t,n,r,a){e.strokeStyle="rgba("+t+","+n+","+r+","+a+")"},Ud.eleStrokeStyle=function(e,t,n){var r=t.pstyle("line-fill").value;if("linear-gradient"===r||"radial-gradient"===r)this.gradientStrokeStyle(e,t,r,n);else{var a=t.pstyle("line-color").value;this.colorStrokeStyle(e,a[0],a[1],a[2],n)}},Ud.matchCanvasSize=function(e){var t=this,n=t.data,r=t.findContainerClientCoords(),a=r[2],i=r[3],o=t.getPixelRatio(),s=t.motionBlurPxRatio;e!==t.data.bufferCanvases[t.MOTIONBLUR_BUFFER_NODE]&&e!==t.data.bufferCanvases[t.MOTIONBLUR_BUFFER_DRAG]||(o=s);var l,u=a*o,c=i*o;if(u!==t.canvasWidth||c!==t.canvasHeight){t.fontCaches=null;var d=n.canvasContainer;d.style.width=a+"px",d.style.height=i+"px";for(var h=0;h<t.CANVAS_LAYERS;h++)(l=n.canvases[h]).width=u,l.height=c,l.style.width=a+"px",l.style.height=i+"px";for(h=0;h<t.BUFFER_COUNT;h++)(l=n.bufferCanvases[h]).width=u,l.height=c,l.style.width=a+"px",l.style.height=i+"px";t.textureMult=1,o<=1&&(l=n.bufferCanvases[t.TEXTURE_BUFFER],t.textureMult=2,l.width=u*t.textureMult,l.height=c*t.textureMult),t.canvasWidth=u,t.canvasHeight=c,t.pixelRatio=o}},Ud.renderTo=function(e,t,n,r){this.render({forcedContext:e,forcedZoom:t,forcedPan:n,drawAllLayers:!0,forcedPxRatio:r})},Ud.clearCanvas=function(){var e=this,t=e.data;function n(t){t.clearRect(0,0,e.canvasWidth,e.canvasHeight)}n(t.contexts[e.NODE]),n(t.contexts[e.DRAG])},Ud.render=function(e){var t=this;e=e||ut();var n=t.cy,r=e.forcedContext,a=e.drawAllLayers,i=e.drawOnlyNodeLayer,o=e.forcedZoom,s=e.forcedPan,l=void 0===e.forcedPxRatio?this.getPixelRatio():e.forcedPxRatio,u=t.data,c=u.canvasNeedsRedraw,d=t.textureOnViewport&&!r&&(t.pinching||t.hoverData.dragging||t.swipePanning||t.data.wheelZooming),h=void 0!==e.motionBlur?e.motionBlur:t.motionBlur,f=t.motionBlurPxRatio,p=n.hasCompoundNodes(),g=t.hoverData.draggingEles,v=!(!t.hoverData.selecting&&!t.touchData.selecting),y=h=h&&!r&&t.motionBlurEnabled&&!v;r||(t.prevPxRatio!==l&&(t.invalidateContainerClientCoordsCache(),t.matchCanvasSize(t.container),t.redrawHint("eles",!0),t.redrawHint("drag",!0)),t.prevPxRatio=l),!r&&t.motionBlurTimeout&&clearTimeout(t.motionBlurTimeout),h&&(null==t.mbFrames&&(t.mbFrames=0),t.mbFrames++,t.mbFrames<3&&(y=!1),t.mbFrames>t.minMbLowQualFrames&&(t.motionBlurPxRatio=t.mbPxRBlurry)),t.clearingMotionBlur&&(t.motionBlurPxRatio=1),t.textureDrawLastFrame&&!d&&(c[t.NODE]=!0,c[t.SELECT_BOX]=!0);var m=n.style(),b=n.zoom(),x=void 0!==o?o:b,w=n.pan(),E={x:w.x,y:w.y},k={zoom:b,pan:{x:w.x,y:w.y}},T=t.prevViewport;void 0===T||k.zoom!==T.zoom||k.pan.x!==T.pan.x||k.pan.y!==T.pan.y||g&&!p||(t.motionBlurPxRatio=1),s&&(E=s),x*=l,E.x*=l,E.y*=l;var C=t.getCachedZSortedEles();function P(e,n,r,a,i){var o=e.globalCompositeOperation;e.globalCompositeOperation="destination-out",t.colorFillStyle(e,255,255,255,t.motionBlurTransparency),e.fillRect(n,r,a,i),e.globalCompositeOperation=o}function S(e,n){var i,l,c,d;t.clearingMotionBlur||e!==u.bufferContexts[t.MOTIONBLUR_BUFFER_NODE]&&e!==u.bufferContexts[t.MOTIONBLUR_BUFFER_DRAG]?(i=E,l=x,c=t.canvasWidth,d=t.canvasHeight):(i={x:w.x*f,y:w.y*f},l=b*f,c=t.canvasWidth*f,d=t.canvasHeight*f),e.setTransform(1,0,0,1,0,0),"motionBlur"===n?P(e,0,0,c,d):r||void 0!==n&&!n||e.clearRect(0,0,c,d),a||(e.translate(i.x,i.y),e.scale(l,l)),s&&e.translate(s.x,s.y),o&&e.scale(o,o)}if(d||(t.textureDrawLastFrame=!1),d){if(t.textureDrawLastFrame=!0,!t.textureCache){t.textureCache={},t.textureCache.bb=n.mutableElements().boundingBox(),t.textureCache.texture=t.data.bufferCanvases[t.TEXTURE_BUFFER];var B=t.data.bufferContexts[t.TEXTURE_BUFFER];B.setTransform(1,0,0,1,0,0),B.clearRect(0,0,t.canvasWidth*t.textureMult,t.canvasHeight*t.textureMult),t.render({forcedContext:B,drawOnlyNodeLayer:!0,forcedPxRatio:l*t.textureMult}),(k=t.textureCache.viewport={zoom:n.zoom(),pan:n.pan(),width:t.canvasWidth,height:t.canvasHeight}).mpan={x:(0-k.pan.x)/k.zoom,y:(0-k.pan.y)/k.zoom}}c[t.DRAG]=!1,c[t.NODE]=!1;var D=u.contexts[t.NODE],_=t.textureCache.texture;k=t.textureCache.viewport;D.setTransform(1,0,0,1,0,0),h?P(D,0,0,k.width,k.height):D.clearRect(0,0,k.width,k.height);var A=m.core("outside-texture-bg-color").value,M=m.core("outside-texture-bg-opacity").value;t.colorFillStyle(D,A[0],A[1],A[2],M),D.fillRect(0,0,k.width,k.height);b=n.zoom();S(D,!1),D.clearRect(k.mpan.x,k.mpan.y,k.width/k.zoom/l,k.height/k.zoom/l),D.drawImage(_,k.mpan.x,k.mpan.y,k.width/k.zoom/l,k.height/k.zoom/l)}else t.textureOnViewport&&!r&&(t.textureCache=null);var R=n.extent(),I=t.pinching||t.hoverData.dragging||t.swipePanning||t.data.wheelZooming||t.hoverData.draggingEles||t.cy.animated(),N=t.hideEdgesOnViewport&&I,L=[];if(L[t.NODE]=!c[t.NODE]&&h&&!t.clearedForMotionBlur[t.NODE]||t.clearingMotionBlur,L[t.NODE]&&(t.clearedForMotionBlur[t.NODE]=!0),L[t.DRAG]=!c[t.DRAG]&&h&&!t.clearedForMotionBlur[t.DRAG]||t.clearingMotionBlur,L[t.DRAG]&&(t.clearedForMotionBlur[t.DRAG]=!0),c[t.NODE]||a||i||L[t.NODE]){var z=h&&!L[t.NODE]&&1!==f;S(D=r||(z?t.data.bufferContexts[t.MOTIONBLUR_BUFFER_NODE]:u.contexts[t.NODE]),h&&!z?"motionBlur":void 0),N?t.drawCachedNodes(D,C.nondrag,l,R):t.drawLayeredElements(D,C.nondrag,l,R),t.debug&&t.drawDebugPoints(D,C.nondrag),a||h||(c[t.NODE]=!1)}if(!i&&(c[t.DRAG]||a||L[t.DRAG])){z=h&&!L[t.DRAG]&&1!==f;S(D=r||(z?t.data.bufferContexts[t.MOTIONBLUR_BUFFER_DRAG]:u.contexts[t.DRAG]),h&&!z?"motionBlur":void 0),N?t.drawCachedNodes(D,C.drag,l,R):t.drawCachedElements(D,C.drag,l,R),t.debug&&t.drawDebugPoints(D,C.drag),a||h||(c[t.DRAG]=!1)}if(this.drawSelectionRectangle(e,S),h&&1!==f){var O=u.contexts[t.NODE],V=t.data.bufferCanvases[t.MOTIONBLUR_BUFFER_NODE],F=u.contexts[t.DRAG],X=t.data.bufferCanvases[t.MOTIONBLUR_BUFFER_DRAG],j=function(e,n,r){e.setTransform(1,0,0,1,0,0),r||!y?e.clearRect(0,0,t.canvasWidth,t.canvasHeight):P(e,0,0,t.canvasWidth,t.canvasHeight);var a=f;e.drawImage(n,0,0,t.canvasWidth*a,t.canvasHeight*a,0,0,t.canvasWidth,t.canvasHeight)};(c[t.NODE]||L[t.NODE])&&(j(O,V,L[t.NODE]),c[t.NODE]=!1),(c[t.DRAG]||L[t.DRAG])&&(j(F,X,L[t.DRAG]),c[t.DRAG]=!1)}t.prevViewport=k,t.clearingMotionBlur&&(t.clearingMotionBlur=!1,t.motionBlurCleared=!0,t.motionBlur=!0),h&&(t.motionBlurTimeout=setTimeout((function(){t.motionBlurTimeout=null,t.clearedForMotionBlur[t.NODE]=!1,t.clearedForMotionBlur[t.DRAG]=!1,t.motionBlur=!1,t.clearingMotionBlur=!d,t.mbFrames=0,c[t.NODE]=!0,c[t.DRAG]=!0,t.redraw()}),100)),r||n.emit("render")},Ud.drawSelectionRectangle=function(e,t){var n=this,r=n.cy,a=n.data,i=r.style(),o=e.drawOnlyNodeLayer,s=e.drawAllLayers,l=a.canvasNeedsRedraw,u=e.forcedContext;if(n.showFps||!o&&l[n.SELECT_BOX]&&!s){var c=u||a.contexts[n.SELECT_BOX];if(t(c),1==n.selection[4]&&(n.hoverData.selecting||n.touchData.selecting)){var d=n.cy.zoom(),h=i.core("selection-box-border-width").value/d;c.lineWidth=h,c.fillStyle="rgba("+i.core("selection-box-color").value[0]+","+i.core("selection-box-color").value[1]+","+i.core("selection-box-color").value[2]+","+i.core("selection-box-opacity").value+")",c.fillRect(n.selection[0],n.selection[1],n.selection[2]-n.selection[0],n.selection[3]-n.selection[1]),h>0&&(c.strokeStyle="rgba("+i.core("selection-box-border-color").value[0]+","+i.core("selection-box-border-color").value[1]+","+i.core("selection-box-border-color").value[2]+","+i.core("selection-box-opacity").value+")",c.strokeRect(n.selection[0],n.selection[1],n.selection[2]-n.selection[0],n.selection[3]-n.selection[1]))}if(a.bgActivePosistion&&!n.hoverData.selecting){d=n.cy.zoom();var f=a.bgActivePosistion;c.fillStyle="rgba("+i.core("active-bg-color").value[0]+","+i.core("active-bg-color").value[1]+","+i.core("active-bg-color").value[2]+","+i.core("active-bg-opacity").value+")",c.beginPath(),c.arc(f.x,f.y,i.core("active-bg-size").pfValue/d,0,2*Math.PI),c.fill()}var p=n.lastRedrawTime;if(n.showFps&&p){p=Math.round(p);var g=Math.round(1e3/p),v="1 frame = "+p+" ms = "+g+" fps";if(c.setTransform(1,0,0,1,0,0),c.fillStyle="rgba(255, 0, 0, 0.75)",c.strokeStyle="rgba(255, 0, 0, 0.75)",c.font="30px Arial",!Wd){var y=c.measureText(v);Wd=y.actualBoundingBoxAscent}c.fillText(v,0,Wd);c.strokeRect(0,Wd+10,250,20),c.fillRect(0,Wd+10,250*Math.min(g/60,1),20)}s||(l[n.SELECT_BOX]=!1)}};var ih="undefined"!=typeof Float32Array?Float32Array:Array;function oh(){var e=new ih(9);return ih!=Float32Array&&(e[1]=0,e[2]=0,e[3]=0,e[5]=0,e[6]=0,e[7]=0),e[0]=1,e[4]=1,e[8]=1,e}function sh(e){return e[0]=1,e[1]=0,e[2]=0,e[3]=0,e[4]=1,e[5]=0,e[6]=0,e[7]=0,e[8]=1,e}function lh(e,t,n){var r=t[0],a=t[1],i=t[2],o=t[3],s=t[4],l=t[5],u=t[6],c=t[7],d=t[8],h=n[0],f=n[1];return e[0]=r,e[1]=a,e[2]=i,e[3]=o,e[4]=s,e[5]=l,e[6]=h*r+f*o+u,e[7]=h*a+f*s+c,e[8]=h*i+f*l+d,e}function uh(e,t,n){var r=t[0],a=t[1],i=t[2],o=t[3],s=t[4],l=t[5],u=t[6],c=t[7],d=t[8],h=Math.sin(n),f=Math.cos(n);return e[0]=f*r+h*o,e[1]=f*a+h*s,e[2]=f*i+h*l,e[3]=f*o-h*r,e[4]=f*s-h*a,e[5]=f*l-h*i,e[6]=u,e[7]=c,e[8]=d,e}function ch(e,t,n){var r=n[0],a=n[1];return e[0]=r*t[0],e[1]=r*t[1],e[2]=r*t[2],e[3]=a*t[3],e[4]=a*t[4],e[5]=a*t[5],e[6]=t[6],e[7]=t[7],e[8]=t[8],e}Math.hypot||(Math.hypot=function(){for(var e=0,t=arguments.length;t--;)e+=arguments[t]*arguments[t];return Math.sqrt(e)});var dh=function(){return n((function e(n,r,a,i){t(this,e),this.debugID=Math.floor(1e4*Math.random()),this.r=n,this.texSize=r,this.texRows=a,this.texHeight=Math.floor(r/a),this.enableWrapping=!0,this.locked=!1,this.texture=null,this.needsBuffer=!0,this.freePointer={x:0,row:0},this.keyToLocation=new Map,this.canvas=i(n,r,r),this.scratch=i(n,r,this.texHeight,"scratch")}),[{key:"lock",value:function(){this.locked=!0}},{key:"getKeys",value:function(){return new Set(this.keyToLocation.keys())}},{key:"getScale",value:function(e){var t=e.w,n=e.h,r=this.texHeight,a=this.texSize,i=r/n,o=t*i,s=n*i;return o>a&&(o=t*(i=a/t),s=n*i),{scale:i,texW:o,texH:s}}},{key:"draw",value:function(e,t,n){var r=this;if(this.locked)throw new Error("can't draw, atlas is locked");var a=this.texSize,i=this.texRows,o=this.texHeight,s=this.getScale(t),l=s.scale,u=s.texW,c=s.texH,d=function(e,r){if(n&&r){var a=r.context,i=e.x,s=e.row,u=i,c=o*s;a.save(),a.translate(u,c),a.scale(l,l),n(a,t),a.restore()}},h=[null,null],f=function(){d(r.freePointer,r.canvas),h[0]={x:r.freePointer.x,y:r.freePointer.row*o,w:u,h:c},h[1]={x:r.freePointer.x+u,y:r.freePointer.row*o,w:0,h:c},r.freePointer.x+=u,r.freePointer.x==a&&(r.freePointer.x=0,r.freePointer.row++)},p=function(){r.freePointer.x=0,r.freePointer.row++};if(this.freePointer.x+u<=a)f();else{if(this.freePointer.row>=i-1)return!1;this.freePointer.x===a?(p(),f()):this.enableWrapping?function(){var e=r.scratch,t=r.canvas;e.clear(),d({x:0,row:0},e);var n=a-r.freePointer.x,i=u-n,s=o,l=r.freePointer.x,f=r.freePointer.row*o,p=n;t.context.drawImage(e,0,0,p,s,l,f,p,s),h[0]={x:l,y:f,w:p,h:c};var g=n,v=(r.freePointer.row+1)*o,y=i;t&&t.context.drawImage(e,g,0,y,s,0,v,y,s),h[1]={x:0,y:v,w:y,h:c},r.freePointer.x=i,r.freePointer.row++}():(p(),f())}return this.keyToLocation.set(e,h),this.needsBuffer=!0,h}},{key:"getOffsets",value:function(e){return this.keyToLocation.get(e)}},{key:"isEmpty",value:function(){return 0===this.freePointer.x&&0===this.freePointer.row}},{key:"canFit",value:function(e){if(this.locked)return!1;var t=this.texSize,n=this.texRows,r=this.getScale(e).texW;return!(this.freePointer.x+r>t)||this.freePointer.row<n-1}},{key:"bufferIfNeeded",value:function(e){this.texture||(this.texture=function(e){var t=e.createTexture();return t.buffer=function(n){e.bindTexture(e.TEXTURE_2D,t),e.texParameteri(e.TEXTURE_2D,e.TEXTURE_WRAP_S,e.CLAMP_TO_EDGE),e.texParameteri(e.TEXTURE_2D,e.TEXTURE_WRAP_T,e.CLAMP_TO_EDGE),e.texParameteri(e.TEXTURE_2D,e.TEXTURE_MAG_FILTER,e.LINEAR),e.texParameteri(e.TEXTURE_2D,e.TEXTURE_MIN_FILTER,e.LINEAR_MIPMAP_NEAREST),e.pixelStorei(e.UNPACK_PREMULTIPLY_ALPHA_WEBGL,!0),e.texImage2D(e.TEXTURE_2D,0,e.RGBA,e.RGBA,e.UNSIGNED_BYTE,n),e.generateMipmap(e.TEXTURE_2D),e.bindTexture(e.TEXTURE_2D,null)},t.deleteTexture=function(){e.deleteTexture(t)},t}(e,this.debugID)),this.needsBuffer&&(this.texture.buffer(this.canvas),this.needsBuffer=!1,this.locked&&(this.canvas=null,this.scratch=null))}},{key:"dispose",value:function(){this.texture&&(this.texture.deleteTexture(),this.texture=null),this.canvas=null,this.scratch=null,this.locked=!0}}])}(),hh=function(){return n((function e(n,r,a,i){t(this,e),this.r=n,this.texSize=r,this.texRows=a,this.createTextureCanvas=i,this.atlases=[],this.styleKeyToAtlas=new Map,this.markedKeys=new Set}),[{key:"getKeys",value:function(){return new Set(this.styleKeyToAtlas.keys())}},{key:"_createAtlas",value:function(){var e=this.r,t=this.texSize,n=this.texRows,r=this.createTextureCanvas;return new dh(e,t,n,r)}},{key:"_getScratchCanvas",value:function(){if(!this.scratch){var e=this.r,t=this.texSize,n=this.texRows,r=this.createTextureCanvas,a=Math.floor(t/n);this.scratch=r(e,t,a,"scratch")}return this.scratch}},{key:"draw",value:function(e,t,n){var r=this.styleKeyToAtlas.get(e);return r||((r=this.atlases[this.atlases.length-1])&&r.canFit(t)||(r&&r.lock(),r=this._createAtlas(),this.atlases.push(r)),r.draw(e,t,n),this.styleKeyToAtlas.set(e,r)),r}},{key:"getAtlas",value:function(e){return this.styleKeyToAtlas.get(e)}},{key:"hasAtlas",value:function(e){return this.styleKeyToAtlas.has(e)}},{key:"markKeyForGC",value:function(e){this.markedKeys.add(e)}},{key:"gc",value:function(){var e=this,t=this.markedKeys;if(0!==t.size){var n,a=[],s=new Map,l=null,u=r(this.atlases);try{var c=function(){var u,c,d=n.value,h=d.getKeys(),f=(c=h,(u=t).intersection?u.intersection(c):new Set(o(u).filter((function(e){return c.has(e)}))));if(0===f.size)return a.push(d),h.forEach((function(e){return s.set(e,d)})),1;l||(l=e._createAtlas(),a.push(l));var p,g=r(h);try{for(g.s();!(p=g.n()).done;){var v=p.value;if(!f.has(v)){var y=i(d.getOffsets(v),2),m=y[0],b=y[1];l.canFit({w:m.w+b.w,h:m.h})||(l.lock(),l=e._createAtlas(),a.push(l)),d.canvas&&(e._copyTextureToNewAtlas(v,d,l),s.set(v,l))}}}catch(e){g.e(e)}finally{g.f()}d.dispose()};for(u.s();!(n=u.n()).done;)c()}catch(e){u.e(e)}finally{u.f()}this.atlases=a,this.styleKeyToAtlas=s,this.markedKeys=new Set}else console.log("nothing to garbage collect")}},{key:"_copyTextureToNewAtlas",value:function(e,t,n){var r=i(t.getOffsets(e),2),a=r[0],o=r[1];if(0===o.w)n.draw(e,a,(function(e){e.drawImage(t.canvas,a.x,a.y,a.w,a.h,0,0,a.w,a.h)}));else{var s=this._getScratchCanvas();s.clear(),s.context.drawImage(t.canvas,a.x,a.y,a.w,a.h,0,0,a.w,a.h),s.context.drawImage(t.canvas,o.x,o.y,o.w,o.h,a.w,0,o.w,o.h);var l=a.w+o.w,u=a.h;n.draw(e,{w:l,h:u},(function(e){e.drawImage(s,0,0,l,u,0,0,l,u)}))}}},{key:"getCounts",value:function(){return{keyCount:this.styleKeyToAtlas.size,atlasCount:new Set(this.styleKeyToAtlas.values()).size}}}])}();var fh=function(){return n((function e(n,r){t(this,e),this.r=n,this.globalOptions=r,this.atlasSize=r.webglTexSize,this.maxAtlasesPerBatch=r.webglTexPerBatch,this.renderTypes=new Map,this.collections=new Map,this.typeAndIdToKey=new Map}),[{key:"getAtlasSize",value:function(){return this.atlasSize}},{key:"addAtlasCollection",value:function(e,t){var n=this.globalOptions,r=n.webglTexSize,a=n.createTextureCanvas,i=t.texRows,o=this._cacheScratchCanvas(a),s=new hh(this.r,r,i,o);this.collections.set(e,s)}},{key:"addRenderType",value:function(e,t){var n=t.collection;if(!this.collections.has(n))throw new Error("invalid atlas collection name '".concat(n,"'"));var r=this.collections.get(n),a=ye({type:e,atlasCollection:r},t);this.renderTypes.set(e,a)}},{key:"getRenderTypeOpts",value:function(e){return this.renderTypes.get(e)}},{key:"getAtlasCollection",value:function(e){return this.collections.get(e)}},{key:"_cacheScratchCanvas",value:function(e){var t=-1,n=-1,r=null;return function(a,i,o,s){return s?(r&&i==t&&o==n||(t=i,n=o,r=e(a,i,o)),r):e(a,i,o)}}},{key:"_key",value:function(e,t){return"".concat(e,"-").concat(t)}},{key:"invalidate",value:function(e){var t,n=this,a=arguments.length>1&&void 0!==arguments[1]?arguments[1]:{},i=a.forceRedraw,o=void 0!==i&&i,s=a.filterEle,l=void 0===s?function(){return!0}:s,u=a.filterType,c=void 0===u?function(){return!0}:u,d=!1,h=!1,f=r(e);try{for(f.s();!(t=f.n()).done;){var p=t.value;if(l(p)){var g,v=r(this.renderTypes.values());try{var y=function(){var e=g.value,t=e.type;if(c(t)){var r=n.collections.get(e.collection),a=e.getKey(p),i=Array.isArray(a)?a:[a];if(o)i.forEach((function(e){return r.markKeyForGC(e)})),h=!0;else{var s=e.getID?e.getID(p):p.id(),l=n._key(t,s),u=n.typeAndIdToKey.get(l);void 0===u||$d(i,u)||(d=!0,n.typeAndIdToKey.delete(l),u.forEach((function(e){return r.markKeyForGC(e)})))}}};for(v.s();!(g=v.n()).done;)y()}catch(e){v.e(e)}finally{v.f()}}}}catch(e){f.e(e)}finally{f.f()}return h&&(this.gc(),d=!1),d}},{key:"gc",value:function(){var e,t=r(this.collections.values());try{for(t.s();!(e=t.n()).done;){e.value.gc()}}catch(e){t.e(e)}finally{t.f()}}},{key:"getOrCreateAtlas",value:function(e,t,n,r){var a=this.renderTypes.get(t),i=this.collections.get(a.collection),o=!1,s=i.draw(r,n,(function(t){a.drawClipped?(t.save(),t.beginPath(),t.rect(0,0,n.w,n.h),t.clip(),a.drawElement(t,e,n,!0,!0),t.restore()):a.drawElement(t,e,n,!0,!0),o=!0}));if(o){var l=a.getID?a.getID(e):e.id(),u=this._key(t,l);this.typeAndIdToKey.has(u)?this.typeAndIdToKey.get(u).push(r):this.typeAndIdToKey.set(u,[r])}return s}},{key:"getAtlasInfo",value:function(e,t){var n=this,r=this.renderTypes.get(t),a=r.getKey(e);return(Array.isArray(a)?a:[a]).map((function(a){var o=r.getBoundingBox(e,a),s=n.getOrCreateAtlas(e,t,o,a),l=i(s.getOffsets(a),2),u=l[0];return{atlas:s,tex:u,tex1:u,tex2:l[1],bb:o}}))}},{key:"getDebugInfo",value:function(){var e,t=[],n=r(this.collections);try{for(n.s();!(e=n.n()).done;){var a=i(e.value,2),o=a[0],s=a[1].getCounts(),l=s.keyCount,u=s.atlasCount;t.push({type:o,keyCount:l,atlasCount:u})}}catch(e){n.e(e)}finally{n.f()}return t}}])}(),ph=function(){return n((function e(n){t(this,e),this.globalOptions=n,this.atlasSize=n.webglTexSize,this.maxAtlasesPerBatch=n.webglTexPerBatch,this.batchAtlases=[]}),[{key:"getMaxAtlasesPerBatch",value:function(){return this.maxAtlasesPerBatch}},{key:"getAtlasSize",value:function(){return this.atlasSize}},{key:"getIndexArray",value:function(){return Array.from({length:this.maxAtlasesPerBatch},(function(e,t){return t}))}},{key:"startBatch",value:function(){this.batchAtlases=[]}},{key:"getAtlasCount",value:function(){return this.batchAtlases.length}},{key:"getAtlases",value:function(){return this.batchAtlases}},{key:"canAddToCurrentBatch",value:function(e){return this.batchAtlases.length!==this.maxAtlasesPerBatch||this.batchAtlases.includes(e)}},{key:"getAtlasIndexForBatch",value:function(e){var t=this.batchAtlases.indexOf(e);if(t<0){if(this.batchAtlases.length===this.maxAtlasesPerBatch)throw new Error("cannot add more atlases to batch");this.batchAtlases.push(e),t=this.batchAtlases.length-1}return t}}])}(),gh={SCREEN:{name:"screen",screen:!0},PICKING:{name:"picking",picking:!0}},vh=1,yh=2,mh=function(){return n((function e(n,r,a){t(this,e),this.r=n,this.gl=r,this.maxInstances=a.webglBatchSize,this.atlasSize=a.webglTexSize,this.bgColor=a.bgColor,this.debug=a.webglDebug,this.batchDebugInfo=[],a.enableWrapping=!0,a.createTextureCanvas=Kd,this.atlasManager=new fh(n,a),this.batchManager=new ph(a),this.simpleShapeOptions=new Map,this.program=this._createShaderProgram(gh.SCREEN),this.pickingProgram=this._createShaderProgram(gh.PICKING),this.vao=this._createVAO()}),[{key:"addAtlasCollection",value:function(e,t){this.atlasManager.addAtlasCollection(e,t)}},{key:"addTextureAtlasRenderType",value:function(e,t){this.atlasManager.addRenderType(e,t)}},{key:"addSimpleShapeRenderType",value:function(e,t){this.simpleShapeOptions.set(e,t)}},{key:"invalidate",value:function(e){var t=(arguments.length>1&&void 0!==arguments[1]?arguments[1]:{}).type,n=this.atlasManager;return t?n.invalidate(e,{filterType:function(e){return e===t},forceRedraw:!0}):n.invalidate(e)}},{key:"gc",value:function(){this.atlasManager.gc()}},{key:"_createShaderProgram",value:function(e){var t=this.gl,n="#version 300 es\n      precision highp float;\n\n      uniform mat3 uPanZoomMatrix;\n      uniform int  uAtlasSize;\n      \n      // instanced\n      in vec2 aPosition; // a vertex from the unit square\n      \n      in mat3 aTransform; // used to transform verticies, eg into a bounding box\n      in int aVertType; // the type of thing we are rendering\n\n      // the z-index that is output when using picking mode\n      in vec4 aIndex;\n      \n      // For textures\n      in int aAtlasId; // which shader unit/atlas to use\n      in vec4 aTex; // x/y/w/h of texture in atlas\n\n      // for edges\n      in vec4 aPointAPointB;\n      in vec4 aPointCPointD;\n      in vec2 aLineWidth; // also used for node border width\n\n      // simple shapes\n      in vec4 aCornerRadius; // for round-rectangle [top-right, bottom-right, top-left, bottom-left]\n      in vec4 aColor; // also used for edges\n      in vec4 aBorderColor; // aLineWidth is used for border width\n\n      // output values passed to the fragment shader\n      out vec2 vTexCoord;\n      out vec4 vColor;\n      out vec2 vPosition;\n      // flat values are not interpolated\n      flat out int vAtlasId; \n      flat out int vVertType;\n      flat out vec2 vTopRight;\n      flat out vec2 vBotLeft;\n      flat out vec4 vCornerRadius;\n      flat out vec4 vBorderColor;\n      flat out vec2 vBorderWidth;\n      flat out vec4 vIndex;\n      \n      void main(void) {\n        int vid = gl_VertexID;\n        vec2 position = aPosition; // TODO make this a vec3, simplifies some code below\n\n        if(aVertType == ".concat(0,") {\n          float texX = aTex.x; // texture coordinates\n          float texY = aTex.y;\n          float texW = aTex.z;\n          float texH = aTex.w;\n\n          if(vid == 1 || vid == 2 || vid == 4) {\n            texX += texW;\n          }\n          if(vid == 2 || vid == 4 || vid == 5) {\n            texY += texH;\n          }\n\n          float d = float(uAtlasSize);\n          vTexCoord = vec2(texX / d, texY / d); // tex coords must be between 0 and 1\n\n          gl_Position = vec4(uPanZoomMatrix * aTransform * vec3(position, 1.0), 1.0);\n        }\n        else if(aVertType == ").concat(4," || aVertType == ").concat(7," \n             || aVertType == ").concat(5," || aVertType == ").concat(6,") { // simple shapes\n\n          // the bounding box is needed by the fragment shader\n          vBotLeft  = (aTransform * vec3(0, 0, 1)).xy; // flat\n          vTopRight = (aTransform * vec3(1, 1, 1)).xy; // flat\n          vPosition = (aTransform * vec3(position, 1)).xy; // will be interpolated\n\n          // calculations are done in the fragment shader, just pass these along\n          vColor = aColor;\n          vCornerRadius = aCornerRadius;\n          vBorderColor = aBorderColor;\n          vBorderWidth = aLineWidth;\n\n          gl_Position = vec4(uPanZoomMatrix * aTransform * vec3(position, 1.0), 1.0);\n        }\n        else if(aVertType == ").concat(1,") {\n          vec2 source = aPointAPointB.xy;\n          vec2 target = aPointAPointB.zw;\n\n          // adjust the geometry so that the line is centered on the edge\n          position.y = position.y - 0.5;\n\n          // stretch the unit square into a long skinny rectangle\n          vec2 xBasis = target - source;\n          vec2 yBasis = normalize(vec2(-xBasis.y, xBasis.x));\n          vec2 point = source + xBasis * position.x + yBasis * aLineWidth[0] * position.y;\n\n          gl_Position = vec4(uPanZoomMatrix * vec3(point, 1.0), 1.0);\n          vColor = aColor;\n        } \n        else if(aVertType == ").concat(2,") {\n          vec2 pointA = aPointAPointB.xy;\n          vec2 pointB = aPointAPointB.zw;\n          vec2 pointC = aPointCPointD.xy;\n          vec2 pointD = aPointCPointD.zw;\n\n          // adjust the geometry so that the line is centered on the edge\n          position.y = position.y - 0.5;\n\n          vec2 p0, p1, p2, pos;\n          if(position.x == 0.0) { // The left side of the unit square\n            p0 = pointA;\n            p1 = pointB;\n            p2 = pointC;\n            pos = position;\n          } else { // The right side of the unit square, use same approach but flip the geometry upside down\n            p0 = pointD;\n            p1 = pointC;\n            p2 = pointB;\n            pos = vec2(0.0, -position.y);\n          }\n\n          vec2 p01 = p1 - p0;\n          vec2 p12 = p2 - p1;\n          vec2 p21 = p1 - p2;\n\n          // Find the normal vector.\n          vec2 tangent = normalize(normalize(p12) + normalize(p01));\n          vec2 normal = vec2(-tangent.y, tangent.x);\n\n          // Find the vector perpendicular to p0 -> p1.\n          vec2 p01Norm = normalize(vec2(-p01.y, p01.x));\n\n          // Determine the bend direction.\n          float sigma = sign(dot(p01 + p21, normal));\n          float width = aLineWidth[0];\n\n          if(sign(pos.y) == -sigma) {\n            // This is an intersecting vertex. Adjust the position so that there's no overlap.\n            vec2 point = 0.5 * width * normal * -sigma / dot(normal, p01Norm);\n            gl_Position = vec4(uPanZoomMatrix * vec3(p1 + point, 1.0), 1.0);\n          } else {\n            // This is a non-intersecting vertex. Treat it like a mitre join.\n            vec2 point = 0.5 * width * normal * sigma * dot(normal, p01Norm);\n            gl_Position = vec4(uPanZoomMatrix * vec3(p1 + point, 1.0), 1.0);\n          }\n\n          vColor = aColor;\n        } \n        else if(aVertType == ").concat(3," && vid < 3) {\n          // massage the first triangle into an edge arrow\n          if(vid == 0)\n            position = vec2(-0.15, -0.3);\n          if(vid == 1)\n            position = vec2(  0.0,  0.0);\n          if(vid == 2)\n            position = vec2( 0.15, -0.3);\n\n          gl_Position = vec4(uPanZoomMatrix * aTransform * vec3(position, 1.0), 1.0);\n          vColor = aColor;\n        }\n        else {\n          gl_Position = vec4(2.0, 0.0, 0.0, 1.0); // discard vertex by putting it outside webgl clip space\n        }\n\n        vAtlasId = aAtlasId;\n        vVertType = aVertType;\n        vIndex = aIndex;\n      }\n    "),r=this.batchManager.getIndexArray(),a="#version 300 es\n      precision highp float;\n\n      // declare texture unit for each texture atlas in the batch\n      ".concat(r.map((function(e){return"uniform sampler2D uTexture".concat(e,";")})).join("\n\t"),"\n\n      uniform vec4 uBGColor;\n      uniform float uZoom;\n\n      in vec2 vTexCoord;\n      in vec4 vColor;\n      in vec2 vPosition; // model coordinates\n\n      flat in int vAtlasId;\n      flat in vec4 vIndex;\n      flat in int vVertType;\n      flat in vec2 vTopRight;\n      flat in vec2 vBotLeft;\n      flat in vec4 vCornerRadius;\n      flat in vec4 vBorderColor;\n      flat in vec2 vBorderWidth;\n\n      out vec4 outColor;\n\n      ").concat("\n  float circleSD(vec2 p, float r) {\n    return distance(vec2(0), p) - r; // signed distance\n  }\n","\n      ").concat("\n  float rectangleSD(vec2 p, vec2 b) {\n    vec2 d = abs(p)-b;\n    return distance(vec2(0),max(d,0.0)) + min(max(d.x,d.y),0.0);\n  }\n","\n      ").concat("\n  float roundRectangleSD(vec2 p, vec2 b, vec4 cr) {\n    cr.xy = (p.x > 0.0) ? cr.xy : cr.zw;\n    cr.x  = (p.y > 0.0) ? cr.x  : cr.y;\n    vec2 q = abs(p) - b + cr.x;\n    return min(max(q.x, q.y), 0.0) + distance(vec2(0), max(q, 0.0)) - cr.x;\n  }\n","\n      ").concat("\n  float ellipseSD(vec2 p, vec2 ab) {\n    p = abs( p ); // symmetry\n\n    // find root with Newton solver\n    vec2 q = ab*(p-ab);\n    float w = (q.x<q.y)? 1.570796327 : 0.0;\n    for( int i=0; i<5; i++ ) {\n      vec2 cs = vec2(cos(w),sin(w));\n      vec2 u = ab*vec2( cs.x,cs.y);\n      vec2 v = ab*vec2(-cs.y,cs.x);\n      w = w + dot(p-u,v)/(dot(p-u,u)+dot(v,v));\n    }\n    \n    // compute final point and distance\n    float d = length(p-ab*vec2(cos(w),sin(w)));\n    \n    // return signed distance\n    return (dot(p/ab,p/ab)>1.0) ? d : -d;\n  }\n","\n\n      vec4 blend(vec4 top, vec4 bot) { // blend colors with premultiplied alpha\n        return vec4( \n          top.rgb + (bot.rgb * (1.0 - top.a)),\n          top.a   + (bot.a   * (1.0 - top.a)) \n        );\n      }\n\n      vec4 distInterp(vec4 cA, vec4 cB, float d) { // interpolate color using Signed Distance\n        // scale to the zoom level so that borders don't look blurry when zoomed in\n        // note 1.5 is an aribitrary value chosen because it looks good\n        return mix(cA, cB, 1.0 - smoothstep(0.0, 1.5 / uZoom, abs(d))); \n      }\n\n      void main(void) {\n        if(vVertType == ").concat(0,") {\n          // look up the texel from the texture unit\n          ").concat(r.map((function(e){return"if(vAtlasId == ".concat(e,") outColor = texture(uTexture").concat(e,", vTexCoord);")})).join("\n\telse "),"\n        } \n        else if(vVertType == ").concat(3,") {\n          // mimics how canvas renderer uses context.globalCompositeOperation = 'destination-out';\n          outColor = blend(vColor, uBGColor);\n          outColor.a = 1.0; // make opaque, masks out line under arrow\n        }\n        else if(vVertType == ").concat(4," && vBorderWidth == vec2(0.0)) { // simple rectangle with no border\n          outColor = vColor; // unit square is already transformed to the rectangle, nothing else needs to be done\n        }\n        else if(vVertType == ").concat(4," || vVertType == ").concat(7," \n          || vVertType == ").concat(5," || vVertType == ").concat(6,") { // use SDF\n\n          float outerBorder = vBorderWidth[0];\n          float innerBorder = vBorderWidth[1];\n          float borderPadding = outerBorder * 2.0;\n          float w = vTopRight.x - vBotLeft.x - borderPadding;\n          float h = vTopRight.y - vBotLeft.y - borderPadding;\n          vec2 b = vec2(w/2.0, h/2.0); // half width, half height\n          vec2 p = vPosition - vec2(vTopRight.x - b[0] - outerBorder, vTopRight.y - b[1] - outerBorder); // translate to center\n\n          float d; // signed distance\n          if(vVertType == ").concat(4,") {\n            d = rectangleSD(p, b);\n          } else if(vVertType == ").concat(7," && w == h) {\n            d = circleSD(p, b.x); // faster than ellipse\n          } else if(vVertType == ").concat(7,") {\n            d = ellipseSD(p, b);\n          } else {\n            d = roundRectangleSD(p, b, vCornerRadius.wzyx);\n          }\n\n          // use the distance to interpolate a color to smooth the edges of the shape, doesn't need multisampling\n          // we must smooth colors inwards, because we can't change pixels outside the shape's bounding box\n          if(d > 0.0) {\n            if(d > outerBorder) {\n              discard;\n            } else {\n              outColor = distInterp(vBorderColor, vec4(0), d - outerBorder);\n            }\n          } else {\n            if(d > innerBorder) {\n              vec4 outerColor = outerBorder == 0.0 ? vec4(0) : vBorderColor;\n              vec4 innerBorderColor = blend(vBorderColor, vColor);\n              outColor = distInterp(innerBorderColor, outerColor, d);\n            } \n            else {\n              vec4 outerColor;\n              if(innerBorder == 0.0 && outerBorder == 0.0) {\n                outerColor = vec4(0);\n              } else if(innerBorder == 0.0) {\n                outerColor = vBorderColor;\n              } else {\n                outerColor = blend(vBorderColor, vColor);\n              }\n              outColor = distInterp(vColor, outerColor, d - innerBorder);\n            }\n          }\n        }\n        else {\n          outColor = vColor;\n        }\n\n        ").concat(e.picking?"if(outColor.a == 0.0) discard;\n             else outColor = vIndex;":"","\n      }\n    "),i=function(e,t,n){var r=Hd(e,e.VERTEX_SHADER,t),a=Hd(e,e.FRAGMENT_SHADER,n),i=e.createProgram();if(e.attachShader(i,r),e.attachShader(i,a),e.linkProgram(i),!e.getProgramParameter(i,e.LINK_STATUS))throw new Error("Could not initialize shaders");return i}(t,n,a);i.aPosition=t.getAttribLocation(i,"aPosition"),i.aIndex=t.getAttribLocation(i,"aIndex"),i.aVertType=t.getAttribLocation(i,"aVertType"),i.aTransform=t.getAttribLocation(i,"aTransform"),i.aAtlasId=t.getAttribLocation(i,"aAtlasId"),i.aTex=t.getAttribLocation(i,"aTex"),i.aPointAPointB=t.getAttribLocation(i,"aPointAPointB"),i.aPointCPointD=t.getAttribLocation(i,"aPointCPointD"),i.aLineWidth=t.getAttribLocation(i,"aLineWidth"),i.aColor=t.getAttribLocation(i,"aColor"),i.aCornerRadius=t.getAttribLocation(i,"aCornerRadius"),i.aBorderColor=t.getAttribLocation(i,"aBorderColor"),i.uPanZoomMatrix=t.getUniformLocation(i,"uPanZoomMatrix"),i.uAtlasSize=t.getUniformLocation(i,"uAtlasSize"),i.uBGColor=t.getUniformLocation(i,"uBGColor"),i.uZoom=t.getUniformLocation(i,"uZoom"),i.uTextures=[];for(var o=0;o<this.batchManager.getMaxAtlasesPerBatch();o++)i.uTextures.push(t.getUniformLocation(i,"uTexture".concat(o)));return i}},{key:"_createVAO",value:function(){var e=[0,0,1,0,1,1,0,0,1,1,0,1];this.vertexCount=e.length/2;var t=this.maxInstances,n=this.gl,r=this.program,a=n.createVertexArray();return n.bindVertexArray(a),function(e,t,n,r){var a=i(th(e,t),2),o=a[0],s=a[1],l=nh(e,s,r),u=e.createBuffer();e.bindBuffer(e.ARRAY_BUFFER,u),e.bufferData(e.ARRAY_BUFFER,l,e.STATIC_DRAW),s===e.FLOAT?e.vertexAttribPointer(n,o,s,!1,0,0):s===e.INT&&e.vertexAttribIPointer(n,o,s,0,0),e.enableVertexAttribArray(n),e.bindBuffer(e.ARRAY_BUFFER,null)}(n,"vec2",r.aPosition,e),this.transformBuffer=function(e,t,n){for(var r=new Float32Array(9*t),a=new Array(t),i=0;i<t;i++){var o=9*i*4;a[i]=new Float32Array(r.buffer,o,9)}var s=e.createBuffer();e.bindBuffer(e.ARRAY_BUFFER,s),e.bufferData(e.ARRAY_BUFFER,r.byteLength,e.DYNAMIC_DRAW);for(var l=0;l<3;l++){var u=n+l;e.enableVertexAttribArray(u),e.vertexAttribPointer(u,3,e.FLOAT,!1,36,12*l),e.vertexAttribDivisor(u,1)}return e.bindBuffer(e.ARRAY_BUFFER,null),s.getMatrixView=function(e){return a[e]},s.setData=function(e,t){a[t].set(e,0)},s.bufferSubData=function(){e.bindBuffer(e.ARRAY_BUFFER,s),e.bufferSubData(e.ARRAY_BUFFER,0,r)},s}(n,t,r.aTransform),this.indexBuffer=ah(n,t,"vec4",r.aIndex),this.vertTypeBuffer=ah(n,t,"int",r.aVertType),this.atlasIdBuffer=ah(n,t,"int",r.aAtlasId),this.texBuffer=ah(n,t,"vec4",r.aTex),this.pointAPointBBuffer=ah(n,t,"vec4",r.aPointAPointB),this.pointCPointDBuffer=ah(n,t,"vec4",r.aPointCPointD),this.lineWidthBuffer=ah(n,t,"vec2",r.aLineWidth),this.colorBuffer=ah(n,t,"vec4",r.aColor),this.cornerRadiusBuffer=ah(n,t,"vec4",r.aCornerRadius),this.borderColorBuffer=ah(n,t,"vec4",r.aBorderColor),n.bindVertexArray(null),a}},{key:"buffers",get:function(){var e=this;return this._buffers||(this._buffers=Object.keys(this).filter((function(e){return ce(e,"Buffer")})).map((function(t){return e[t]}))),this._buffers}},{key:"startFrame",value:function(e){var t=arguments.length>1&&void 0!==arguments[1]?arguments[1]:gh.SCREEN;this.panZoomMatrix=e,this.renderTarget=t,this.batchDebugInfo=[],this.wrappedCount=0,this.simpleCount=0,this.startBatch()}},{key:"startBatch",value:function(){this.instanceCount=0,this.batchManager.startBatch()}},{key:"endFrame",value:function(){this.endBatch()}},{key:"_isVisible",value:function(e,t){return!!e.visible()&&(!t||!t.isVisible||t.isVisible(e))}},{key:"drawTexture",value:function(e,t,n){var a=this.atlasManager,o=this.batchManager,s=a.getRenderTypeOpts(n);if(this._isVisible(e,s)&&(!e.isEdge()||this._isValidEdge(e))){if(this.renderTarget.picking&&s.getTexPickingMode){var l=s.getTexPickingMode(e);if(l===vh)return;if(l==yh)return void this.drawPickingRectangle(e,t,n)}var u,c=r(a.getAtlasInfo(e,n));try{for(c.s();!(u=c.n()).done;){var d=u.value,h=d.atlas,f=d.tex1,p=d.tex2;o.canAddToCurrentBatch(h)||this.endBatch();for(var g=o.getAtlasIndexForBatch(h),v=0,y=[[f,!0],[p,!1]];v<y.length;v++){var m=i(y[v],2),b=m[0],x=m[1];if(0!=b.w){var w=this.instanceCount;this.vertTypeBuffer.getView(w)[0]=0,Jd(t,this.indexBuffer.getView(w)),this.atlasIdBuffer.getView(w)[0]=g;var E=this.texBuffer.getView(w);E[0]=b.x,E[1]=b.y,E[2]=b.w,E[3]=b.h;var k=this.transformBuffer.getMatrixView(w);this.setTransformMatrix(e,k,s,d,x),this.instanceCount++,x||this.wrappedCount++,this.instanceCount>=this.maxInstances&&this.endBatch()}}}}catch(e){c.e(e)}finally{c.f()}}}},{key:"setTransformMatrix",value:function(e,t,n,r){var a=!(arguments.length>4&&void 0!==arguments[4])||arguments[4],i=0;if(n.shapeProps&&n.shapeProps.padding&&(i=e.pstyle(n.shapeProps.padding).pfValue),r){var o=r.bb,s=r.tex1,l=r.tex2,u=s.w/(s.w+l.w);a||(u=1-u);var c=this._getAdjustedBB(o,i,a,u);this._applyTransformMatrix(t,c,n,e)}else{var d=n.getBoundingBox(e),h=this._getAdjustedBB(d,i,!0,1);this._applyTransformMatrix(t,h,n,e)}}},{key:"_applyTransformMatrix",value:function(e,t,n,r){var a,i;sh(e);var o=n.getRotation?n.getRotation(r):0;if(0!==o){var s=n.getRotationPoint(r);lh(e,e,[s.x,s.y]),uh(e,e,o);var l=n.getRotationOffset(r);a=l.x+(t.xOffset||0),i=l.y+(t.yOffset||0)}else a=t.x1,i=t.y1;lh(e,e,[a,i]),ch(e,e,[t.w,t.h])}},{key:"_getAdjustedBB",value:function(e,t,n,r){var a=e.x1,i=e.y1,o=e.w,s=e.h;t&&(a-=t,i-=t,o+=2*t,s+=2*t);var l=0,u=o*r;return n&&r<1?o=u:!n&&r<1&&(a+=l=o-u,o=u),{x1:a,y1:i,w:o,h:s,xOffset:l,yOffset:e.yOffset}}},{key:"drawPickingRectangle",value:function(e,t,n){var r=this.atlasManager.getRenderTypeOpts(n),a=this.instanceCount;this.vertTypeBuffer.getView(a)[0]=4,Jd(t,this.indexBuffer.getView(a)),Qd([0,0,0],1,this.colorBuffer.getView(a));var i=this.transformBuffer.getMatrixView(a);this.setTransformMatrix(e,i,r),this.simpleCount++,this.instanceCount++,this.instanceCount>=this.maxInstances&&this.endBatch()}},{key:"drawNode",value:function(e,t,n){var r=this.simpleShapeOptions.get(n);if(this._isVisible(e,r)){var a=r.shapeProps,i=this._getVertTypeForShape(e,a.shape);if(void 0===i||r.isSimple&&!r.isSimple(e,this.renderTarget))this.drawTexture(e,t,n);else{var o=this.instanceCount;if(this.vertTypeBuffer.getView(o)[0]=i,5===i||6===i){var s=r.getBoundingBox(e),l=this._getCornerRadius(e,a.radius,s),u=this.cornerRadiusBuffer.getView(o);u[0]=l,u[1]=l,u[2]=l,u[3]=l,6===i&&(u[0]=0,u[2]=0)}Jd(t,this.indexBuffer.getView(o));var c=this.renderTarget.picking?1:"node-body"===n?e.effectiveOpacity():1,d=this.renderTarget.picking?1:e.pstyle(a.opacity).value*c;Qd(e.pstyle(a.color).value,d,this.colorBuffer.getView(o));var h=this.lineWidthBuffer.getView(o);if(h[0]=0,h[1]=0,a.border){var f=e.pstyle("border-width").value;if(f>0){Qd(e.pstyle("border-color").value,c*e.pstyle("border-opacity").value,this.borderColorBuffer.getView(o));var p=e.pstyle("border-position").value;if("inside"===p)h[0]=0,h[1]=-f;else if("outside"===p)h[0]=f,h[1]=0;else{var g=f/2;h[0]=g,h[1]=-g}}}var v=this.transformBuffer.getMatrixView(o);this.setTransformMatrix(e,v,r),this.simpleCount++,this.instanceCount++,this.instanceCount>=this.maxInstances&&this.endBatch()}}}},{key:"_getVertTypeForShape",value:function(e,t){switch(e.pstyle(t).value){case"rectangle":return 4;case"ellipse":return 7;case"roundrectangle":case"round-rectangle":return 5;case"bottom-round-rectangle":return 6;default:return}}},{key:"_getCornerRadius",value:function(e,t,n){var r=n.w,a=n.h;if("auto"===e.pstyle(t).value)return Mn(r,a);var i=e.pstyle(t).pfValue,o=r/2,s=a/2;return Math.min(i,s,o)}},{key:"drawEdgeArrow",value:function(e,t,n){if(e.visible()){var r,a,i,o=e._private.rscratch;if("source"===n?(r=o.arrowStartX,a=o.arrowStartY,i=o.srcArrowAngle):(r=o.arrowEndX,a=o.arrowEndY,i=o.tgtArrowAngle),!(isNaN(r)||null==r||isNaN(a)||null==a||isNaN(i)||null==i))if("none"!==e.pstyle(n+"-arrow-shape").value){var s=e.pstyle(n+"-arrow-color").value,l=e.pstyle("opacity").value*e.pstyle("line-opacity").value,u=e.pstyle("width").pfValue,c=e.pstyle("arrow-scale").value,d=this.r.getArrowWidth(u,c),h=this.instanceCount,f=this.transformBuffer.getMatrixView(h);sh(f),lh(f,f,[r,a]),ch(f,f,[d,d]),uh(f,f,i),this.vertTypeBuffer.getView(h)[0]=3,Jd(t,this.indexBuffer.getView(h)),Qd(s,l,this.colorBuffer.getView(h)),this.instanceCount++,this.instanceCount>=this.maxInstances&&this.endBatch()}}}},{key:"drawEdgeLine",value:function(e,t){if(e.visible()){var n=this._getEdgePoints(e);if(n){var r=e.pstyle("opacity").value,a=e.pstyle("line-opacity").value,i=e.pstyle("width").pfValue,o=e.pstyle("line-color").value,s=r*a;if(n.length/2+this.instanceCount>this.maxInstances&&this.endBatch(),4==n.length){var l=this.instanceCount;this.vertTypeBuffer.getView(l)[0]=1,Jd(t,this.indexBuffer.getView(l)),Qd(o,s,this.colorBuffer.getView(l)),this.lineWidthBuffer.getView(l)[0]=i;var u=this.pointAPointBBuffer.getView(l);u[0]=n[0],u[1]=n[1],u[2]=n[2],u[3]=n[3],this.instanceCount++,this.instanceCount>=this.maxInstances&&this.endBatch()}else for(var c=0;c<n.length-2;c+=2){var d=this.instanceCount;this.vertTypeBuffer.getView(d)[0]=2,Jd(t,this.indexBuffer.getView(d)),Qd(o,s,this.colorBuffer.getView(d)),this.lineWidthBuffer.getView(d)[0]=i;var h=n[c-2],f=n[c-1],p=n[c],g=n[c+1],v=n[c+2],y=n[c+3],m=n[c+4],b=n[c+5];0==c&&(h=2*p-v+.001,f=2*g-y+.001),c==n.length-4&&(m=2*v-p+.001,b=2*y-g+.001);var x=this.pointAPointBBuffer.getView(d);x[0]=h,x[1]=f,x[2]=p,x[3]=g;var w=this.pointCPointDBuffer.getView(d);w[0]=v,w[1]=y,w[2]=m,w[3]=b,this.instanceCount++,this.instanceCount>=this.maxInstances&&this.endBatch()}}}}},{key:"_isValidEdge",value:function(e){var t=e._private.rscratch;return!t.badLine&&null!=t.allpts&&!isNaN(t.allpts[0])}},{key:"_getEdgePoints",value:function(e){var t=e._private.rscratch;if(this._isValidEdge(e)){var n=t.allpts;if(4==n.length)return n;var r=this._getNumSegments(e);return this._getCurveSegmentPoints(n,r)}}},{key:"_getNumSegments",value:function(e){return Math.min(Math.max(15,5),this.maxInstances)}},{key:"_getCurveSegmentPoints",value:function(e,t){if(4==e.length)return e;for(var n=Array(2*(t+1)),r=0;r<=t;r++)if(0==r)n[0]=e[0],n[1]=e[1];else if(r==t)n[2*r]=e[e.length-2],n[2*r+1]=e[e.length-1];else{var a=r/t;this._setCurvePoint(e,a,n,2*r)}return n}},{key:"_setCurvePoint",value:function(e,t,n,r){if(!(e.length<=2)){for(var a=Array(e.length-2),i=0;i<a.length;i+=2){var o=(1-t)*e[i]+t*e[i+2],s=(1-t)*e[i+1]+t*e[i+3];a[i]=o,a[i+1]=s}return this._setCurvePoint(a,t,n,r)}n[r]=e[0],n[r+1]=e[1]}},{key:"endBatch",value:function(){var e=this.gl,t=this.vao,n=this.vertexCount,a=this.instanceCount;if(0!==a){var i=this.renderTarget.picking?this.pickingProgram:this.program;e.useProgram(i),e.bindVertexArray(t);var o,s=r(this.buffers);try{for(s.s();!(o=s.n()).done;){o.value.bufferSubData(a)}}catch(e){s.e(e)}finally{s.f()}for(var l,u,c=this.batchManager.getAtlases(),d=0;d<c.length;d++)c[d].bufferIfNeeded(e);for(var h=0;h<c.length;h++)e.activeTexture(e.TEXTURE0+h),e.bindTexture(e.TEXTURE_2D,c[h].texture),e.uniform1i(i.uTextures[h],h);e.uniform1f(i.uZoom,(l=this.r,u=l.pixelRatio,l.cy.zoom()*u)),e.uniformMatrix3fv(i.uPanZoomMatrix,!1,this.panZoomMatrix),e.uniform1i(i.uAtlasSize,this.batchManager.getAtlasSize());var f=Qd(this.bgColor,1);e.uniform4fv(i.uBGColor,f),e.drawArraysInstanced(e.TRIANGLES,0,n,a),e.bindVertexArray(null),e.bindTexture(e.TEXTURE_2D,null),this.debug&&this.batchDebugInfo.push({count:a,atlasCount:c.length}),this.startBatch()}}},{key:"getDebugInfo",value:function(){var e=this.atlasManager.getDebugInfo(),t=e.reduce((function(e,t){return e+t.atlasCount}),0),n=this.batchDebugInfo,r=n.reduce((function(e,t){return e+t.count}),0);return{atlasInfo:e,totalAtlases:t,wrappedCount:this.wrappedCount,simpleCount:this.simpleCount,batchCount:n.length,batchInfo:n,totalInstances:r}}}])}(),bh={};function xh(e,t){var n=e._private.rscratch;return ft(n,"labelWrapCachedLines",t)||[]}bh.initWebgl=function(e,t){var n=this,a=n.data.contexts[n.WEBGL];e.bgColor=function(e){var t=e.cy.container(),n=t&&t.style&&t.style.backgroundColor||"white";return me(n)}(n),e.webglTexSize=Math.min(e.webglTexSize,a.getParameter(a.MAX_TEXTURE_SIZE)),e.webglTexRows=Math.min(e.webglTexRows,54),e.webglTexRowsNodes=Math.min(e.webglTexRowsNodes,54),e.webglBatchSize=Math.min(e.webglBatchSize,16384),e.webglTexPerBatch=Math.min(e.webglTexPerBatch,a.getParameter(a.MAX_TEXTURE_IMAGE_UNITS)),n.webglDebug=e.webglDebug,n.webglDebugShowAtlases=e.webglDebugShowAtlases,n.pickingFrameBuffer=function(e){var t=e.createFramebuffer();e.bindFramebuffer(e.FRAMEBUFFER,t);var n=e.createTexture();return e.bindTexture(e.TEXTURE_2D,n),e.texParameteri(e.TEXTURE_2D,e.TEXTURE_MIN_FILTER,e.LINEAR),e.texParameteri(e.TEXTURE_2D,e.TEXTURE_WRAP_S,e.CLAMP_TO_EDGE),e.texParameteri(e.TEXTURE_2D,e.TEXTURE_WRAP_T,e.CLAMP_TO_EDGE),e.framebufferTexture2D(e.FRAMEBUFFER,e.COLOR_ATTACHMENT0,e.TEXTURE_2D,n,0),e.bindFramebuffer(e.FRAMEBUFFER,null),t.setFramebufferAttachmentSizes=function(t,r){e.bindTexture(e.TEXTURE_2D,n),e.texImage2D(e.TEXTURE_2D,0,e.RGBA,t,r,0,e.RGBA,e.UNSIGNED_BYTE,null)},t}(a),n.pickingFrameBuffer.needsDraw=!0,n.drawing=new mh(n,a,e);var o=function(e){return function(t){return n.getTextAngle(t,e)}},s=function(e){return function(t){var n=t.pstyle(e);return n&&n.value}},l=function(e){return function(t){return t.pstyle("".concat(e,"-opacity")).value>0}},u=function(e){return"yes"===e.pstyle("text-events").strValue?yh:vh},c=function(e){var t=e.position(),n=t.x,r=t.y,a=e.outerWidth(),i=e.outerHeight();return{w:a,h:i,x1:n-a/2,y1:r-i/2}};n.drawing.addAtlasCollection("node",{texRows:e.webglTexRowsNodes}),n.drawing.addAtlasCollection("label",{texRows:e.webglTexRows}),n.drawing.addTextureAtlasRenderType("node-body",{collection:"node",getKey:t.getStyleKey,getBoundingBox:t.getElementBox,drawElement:t.drawElement}),n.drawing.addSimpleShapeRenderType("node-body",{getBoundingBox:c,isSimple:Zd,shapeProps:{shape:"shape",color:"background-color",opacity:"background-opacity",radius:"corner-radius",border:!0}}),n.drawing.addSimpleShapeRenderType("node-overlay",{getBoundingBox:c,isVisible:l("overlay"),shapeProps:{shape:"overlay-shape",color:"overlay-color",opacity:"overlay-opacity",padding:"overlay-padding",radius:"overlay-corner-radius"}}),n.drawing.addSimpleShapeRenderType("node-underlay",{getBoundingBox:c,isVisible:l("underlay"),shapeProps:{shape:"underlay-shape",color:"underlay-color",opacity:"underlay-opacity",padding:"underlay-padding",radius:"underlay-corner-radius"}}),n.drawing.addTextureAtlasRenderType("label",{collection:"label",getTexPickingMode:u,getKey:wh(t.getLabelKey,null),getBoundingBox:Eh(t.getLabelBox,null),drawClipped:!0,drawElement:t.drawLabel,getRotation:o(null),getRotationPoint:t.getLabelRotationPoint,getRotationOffset:t.getLabelRotationOffset,isVisible:s("label")}),n.drawing.addTextureAtlasRenderType("edge-source-label",{collection:"label",getTexPickingMode:u,getKey:wh(t.getSourceLabelKey,"source"),getBoundingBox:Eh(t.getSourceLabelBox,"source"),drawClipped:!0,drawElement:t.drawSourceLabel,getRotation:o("source"),getRotationPoint:t.getSourceLabelRotationPoint,getRotationOffset:t.getSourceLabelRotationOffset,isVisible:s("source-label")}),n.drawing.addTextureAtlasRenderType("edge-target-label",{collection:"label",getTexPickingMode:u,getKey:wh(t.getTargetLabelKey,"target"),getBoundingBox:Eh(t.getTargetLabelBox,"target"),drawClipped:!0,drawElement:t.drawTargetLabel,getRotation:o("target"),getRotationPoint:t.getTargetLabelRotationPoint,getRotationOffset:t.getTargetLabelRotationOffset,isVisible:s("target-label")});var d=Ae((function(){console.log("garbage collect flag set"),n.data.gc=!0}),1e4);n.onUpdateEleCalcs((function(e,t){var r=!1;t&&t.length>0&&(r|=n.drawing.invalidate(t)),r&&d()})),function(e){var t=e.render;e.render=function(n){n=n||{};var r=e.cy;e.webgl&&(r.zoom()>gd?(!function(e){var t=e.data.contexts[e.WEBGL];t.clear(t.COLOR_BUFFER_BIT|t.DEPTH_BUFFER_BIT)}(e),t.call(e,n)):(!function(e){var t=function(t){t.save(),t.setTransform(1,0,0,1,0,0),t.clearRect(0,0,e.canvasWidth,e.canvasHeight),t.restore()};t(e.data.contexts[e.NODE]),t(e.data.contexts[e.DRAG])}(e),Ch(e,n,gh.SCREEN)))};var n=e.matchCanvasSize;e.matchCanvasSize=function(t){n.call(e,t),e.pickingFrameBuffer.setFramebufferAttachmentSizes(e.canvasWidth,e.canvasHeight),e.pickingFrameBuffer.needsDraw=!0},e.findNearestElements=function(t,n,a,o){return function(e,t,n){var a,o,s,l=function(e,t,n){var r,a,o,s,l=Gd(e),u=l.pan,c=l.zoom,d=function(e,t,n,r,a){var i=r*n+t.x,o=a*n+t.y;return[i,o=Math.round(e.canvasHeight-o)]}(e,u,c,t,n),h=i(d,2),f=h[0],p=h[1],g=6;if(r=f-g/2,a=p-g/2,s=g,0===(o=g)||0===s)return[];var v=e.data.contexts[e.WEBGL];v.bindFramebuffer(v.FRAMEBUFFER,e.pickingFrameBuffer),e.pickingFrameBuffer.needsDraw&&(v.viewport(0,0,v.canvas.width,v.canvas.height),Ch(e,null,gh.PICKING),e.pickingFrameBuffer.needsDraw=!1);var y=o*s,m=new Uint8Array(4*y);v.readPixels(r,a,o,s,v.RGBA,v.UNSIGNED_BYTE,m),v.bindFramebuffer(v.FRAMEBUFFER,null);for(var b=new Set,x=0;x<y;x++){var w=eh(m.slice(4*x,4*x+4))-1;w>=0&&b.add(w)}return b}(e,t,n),u=e.getCachedZSortedEles(),c=r(l);try{for(c.s();!(s=c.n()).done;){var d=u[s.value];if(!a&&d.isNode()&&(a=d),!o&&d.isEdge()&&(o=d),a&&o)break}}catch(e){c.e(e)}finally{c.f()}return[a,o].filter(Boolean)}(e,t,n)};var a=e.invalidateCachedZSortedEles;e.invalidateCachedZSortedEles=function(){a.call(e),e.pickingFrameBuffer.needsDraw=!0};var o=e.notify;e.notify=function(t,n){o.call(e,t,n),"viewport"===t||"bounds"===t?e.pickingFrameBuffer.needsDraw=!0:"background"===t&&e.drawing.invalidate(n,{type:"node-body"})}}(n)};var wh=function(e,t){return function(n){var r=e(n),a=xh(n,t);return a.length>1?a.map((function(e,t){return"".concat(r,"_").concat(t)})):r}},Eh=function(e,t){return function(n,r){var a=e(n);if("string"==typeof r){var i=r.indexOf("_");if(i>0){var o=Number(r.substring(i+1)),s=xh(n,t),l=a.h/s.length,u=l*o,c=a.y1+u;return{x1:a.x1,w:a.w,y1:c,h:l,yOffset:u}}}return a}};function kh(e,t){var n=e.canvasWidth,r=e.canvasHeight,a=Gd(e),i=a.pan,o=a.zoom;t.setTransform(1,0,0,1,0,0),t.clearRect(0,0,n,r),t.translate(i.x,i.y),t.scale(o,o)}function Th(e,t,n){var r=e.drawing;t+=1,n.isNode()?(r.drawNode(n,t,"node-underlay"),r.drawNode(n,t,"node-body"),r.drawTexture(n,t,"label"),r.drawNode(n,t,"node-overlay")):(r.drawEdgeLine(n,t),r.drawEdgeArrow(n,t,"source"),r.drawEdgeArrow(n,t,"target"),r.drawTexture(n,t,"label"),r.drawTexture(n,t,"edge-source-label"),r.drawTexture(n,t,"edge-target-label"))}function Ch(e,t,n){var a;e.webglDebug&&(a=performance.now());var i=e.drawing,o=0;if(n.screen&&e.data.canvasNeedsRedraw[e.SELECT_BOX]&&function(e,t){e.drawSelectionRectangle(t,(function(t){return kh(e,t)}))}(e,t),e.data.canvasNeedsRedraw[e.NODE]||n.picking){var s=e.data.contexts[e.WEBGL];n.screen?(s.clearColor(0,0,0,0),s.enable(s.BLEND),s.blendFunc(s.ONE,s.ONE_MINUS_SRC_ALPHA)):s.disable(s.BLEND),s.clear(s.COLOR_BUFFER_BIT|s.DEPTH_BUFFER_BIT),s.viewport(0,0,s.canvas.width,s.canvas.height);var l=function(e){var t=e.canvasWidth,n=e.canvasHeight,r=Gd(e),a=r.pan,i=r.zoom,o=oh();lh(o,o,[a.x,a.y]),ch(o,o,[i,i]);var s=oh();!function(e,t,n){e[0]=2/t,e[1]=0,e[2]=0,e[3]=0,e[4]=-2/n,e[5]=0,e[6]=-1,e[7]=1,e[8]=1}(s,t,n);var l,u,c,d,h,f,p,g,v,y,m,b,x,w,E,k,T,C,P,S,B,D=oh();return l=D,c=o,d=(u=s)[0],h=u[1],f=u[2],p=u[3],g=u[4],v=u[5],y=u[6],m=u[7],b=u[8],x=c[0],w=c[1],E=c[2],k=c[3],T=c[4],C=c[5],P=c[6],S=c[7],B=c[8],l[0]=x*d+w*p+E*y,l[1]=x*h+w*g+E*m,l[2]=x*f+w*v+E*b,l[3]=k*d+T*p+C*y,l[4]=k*h+T*g+C*m,l[5]=k*f+T*v+C*b,l[6]=P*d+S*p+B*y,l[7]=P*h+S*g+B*m,l[8]=P*f+S*v+B*b,D}(e),u=e.getCachedZSortedEles();if(o=u.length,i.startFrame(l,n),n.screen){for(var c=0;c<u.nondrag.length;c++)Th(e,c,u.nondrag[c]);for(var d=0;d<u.drag.length;d++)Th(e,d,u.drag[d])}else if(n.picking)for(var h=0;h<u.length;h++)Th(e,h,u[h]);i.endFrame(),n.screen&&e.webglDebugShowAtlases&&(function(e){var t=e.data.contexts[e.NODE];t.save(),kh(e,t),t.strokeStyle="rgba(0, 0, 0, 0.3)",t.beginPath(),t.moveTo(-1e3,0),t.lineTo(1e3,0),t.stroke(),t.beginPath(),t.moveTo(0,-1e3),t.lineTo(0,1e3),t.stroke(),t.restore()}(e),function(e){var t=function(t,n,r){for(var a=t.atlasManager.getAtlasCollection(n),i=e.data.contexts[e.NODE],o=a.atlases,s=0;s<o.length;s++){var l=o[s].canvas;if(l){var u=l.width,c=l.height,d=u*s,h=l.height*r;i.save(),i.scale(.4,.4),i.drawImage(l,d,h),i.strokeStyle="black",i.rect(d,h,u,c),i.stroke(),i.restore()}}},n=0;t(e.drawing,"node",n++),t(e.drawing,"label",n++)}(e)),e.data.canvasNeedsRedraw[e.NODE]=!1,e.data.canvasNeedsRedraw[e.DRAG]=!1}if(e.webglDebug){var f=performance.now(),p=Math.ceil(f-a),g=i.getDebugInfo(),v=["".concat(o," elements"),"".concat(g.totalInstances," instances"),"".concat(g.batchCount," batches"),"".concat(g.totalAtlases," atlases"),"".concat(g.wrappedCount," wrapped textures"),"".concat(g.simpleCount," simple shapes")].join(", ");console.log("WebGL (".concat(n.name,") - frame time ").concat(p,"ms")),console.log("Totals:"),console.log("  ".concat(v)),console.log("Texture Atlases Used:");var y,m=r(g.atlasInfo);try{for(m.s();!(y=m.n()).done;){var b=y.value;console.log("  ".concat(b.type,": ").concat(b.keyCount," keys, ").concat(b.atlasCount," atlases"))}}catch(e){m.e(e)}finally{m.f()}console.log("")}e.data.gc&&(console.log("Garbage Collect!"),e.data.gc=!1,i.gc())}for(var Ph={drawPolygonPath:function(e,t,n,r,a,i){var o=r/2,s=a/2;e.beginPath&&e.beginPath(),e.moveTo(t+o*i[0],n+s*i[1]);for(var l=1;l<i.length/2;l++)e.lineTo(t+o*i[2*l],n+s*i[2*l+1]);e.closePath()},drawRoundPolygonPath:function(e,t,n,r,a,i,o){o.forEach((function(t){return Xc(e,t)})),e.closePath()},drawRoundRectanglePath:function(e,t,n,r,a,i){var o=r/2,s=a/2,l="auto"===i?Mn(r,a):Math.min(i,s,o);e.beginPath&&e.beginPath(),e.moveTo(t,n-s),e.arcTo(t+o,n-s,t+o,n,l),e.arcTo(t+o,n+s,t,n+s,l),e.arcTo(t-o,n+s,t-o,n,l),e.arcTo(t-o,n-s,t,n-s,l),e.lineTo(t,n-s),e.closePath()},drawBottomRoundRectanglePath:function(e,t,n,r,a,i){var o=r/2,s=a/2,l="auto"===i?Mn(r,a):i;e.beginPath&&e.beginPath(),e.moveTo(t,n-s),e.lineTo(t+o,n-s),e.lineTo(t+o,n),e.arcTo(t+o,n+s,t,n+s,l),e.arcTo(t-o,n+s,t-o,n,l),e.lineTo(t-o,n-s),e.lineTo(t,n-s),e.closePath()},drawCutRectanglePath:function(e,t,n,r,a,i,o){var s=r/2,l=a/2,u="auto"===o?8:o;e.beginPath&&e.beginPath(),e.moveTo(t-s+u,n-l),e.lineTo(t+s-u,n-l),e.lineTo(t+s,n-l+u),e.lineTo(t+s,n+l-u),e.lineTo(t+s-u,n+l),e.lineTo(t-s+u,n+l),e.lineTo(t-s,n+l-u),e.lineTo(t-s,n-l+u),e.closePath()},drawBarrelPath:function(e,t,n,r,a){var i=r/2,o=a/2,s=t-i,l=t+i,u=n-o,c=n+o,d=In(r,a),h=d.widthOffset,f=d.heightOffset,p=d.ctrlPtOffsetPct*h;e.beginPath&&e.beginPath(),e.moveTo(s,u+f),e.lineTo(s,c-f),e.quadraticCurveTo(s+p,c,s+h,c),e.lineTo(l-h,c),e.quadraticCurveTo(l-p,c,l,c-f),e.lineTo(l,u+f),e.quadraticCurveTo(l-p,u,l-h,u),e.lineTo(s+h,u),e.quadraticCurveTo(s+p,u,s,u+f),e.closePath()}},Sh=Math.sin(0),Bh=Math.cos(0),Dh={},_h={},Ah=Math.PI/40,Mh=0*Math.PI;Mh<2*Math.PI;Mh+=Ah)Dh[Mh]=Math.sin(Mh),_h[Mh]=Math.cos(Mh);Ph.drawEllipsePath=function(e,t,n,r,a){if(e.beginPath&&e.beginPath(),e.ellipse)e.ellipse(t,n,r/2,a/2,0,0,2*Math.PI);else for(var i,o,s=r/2,l=a/2,u=0*Math.PI;u<2*Math.PI;u+=Ah)i=t-s*Dh[u]*Sh+s*_h[u]*Bh,o=n+l*_h[u]*Sh+l*Dh[u]*Bh,0===u?e.moveTo(i,o):e.lineTo(i,o);e.closePath()};var Rh={};function Ih(e){var t=e.indexOf(",");return e.substr(t+1)}function Nh(e,t,n){var r=function(){return t.toDataURL(n,e.quality)};switch(e.output){case"blob-promise":return new Gr((function(r,a){try{t.toBlob((function(e){null!=e?r(e):a(new Error("`canvas.toBlob()` sent a null value in its callback"))}),n,e.quality)}catch(e){a(e)}}));case"blob":return function(e,t){for(var n=atob(e),r=new ArrayBuffer(n.length),a=new Uint8Array(r),i=0;i<n.length;i++)a[i]=n.charCodeAt(i);return new Blob([r],{type:t})}(Ih(r()),n);case"base64":return Ih(r());default:return r()}}Rh.createBuffer=function(e,t){var n=document.createElement("canvas");return n.width=e,n.height=t,[n,n.getContext("2d")]},Rh.bufferCanvasImage=function(e){var t=this.cy,n=t.mutableElements().boundingBox(),r=this.findContainerClientCoords(),a=e.full?Math.ceil(n.w):r[2],i=e.full?Math.ceil(n.h):r[3],o=G(e.maxWidth)||G(e.maxHeight),s=this.getPixelRatio(),l=1;if(void 0!==e.scale)a*=e.scale,i*=e.scale,l=e.scale;else if(o){var u=1/0,c=1/0;G(e.maxWidth)&&(u=l*e.maxWidth/a),G(e.maxHeight)&&(c=l*e.maxHeight/i),a*=l=Math.min(u,c),i*=l}o||(a*=s,i*=s,l*=s);var d=document.createElement("canvas");d.width=a,d.height=i,d.style.width=a+"px",d.style.height=i+"px";var h=d.getContext("2d");if(a>0&&i>0){h.clearRect(0,0,a,i),h.globalCompositeOperation="source-over";var f=this.getCachedZSortedEles();if(e.full)h.translate(-n.x1*l,-n.y1*l),h.scale(l,l),this.drawElements(h,f);else{var p=t.pan(),g={x:p.x*l,y:p.y*l};l*=t.zoom(),h.translate(g.x,g.y),h.scale(l,l),this.drawElements(h,f)}h.setTransform(1,0,0,1,0,0),e.bg&&(h.globalCompositeOperation="destination-over",h.fillStyle=e.bg,h.fillRect(0,0,a,i))}return d},Rh.png=function(e){return Nh(e,this.bufferCanvasImage(e),"image/png")},Rh.jpg=function(e){return Nh(e,this.bufferCanvasImage(e),"image/jpeg")};var Lh={nodeShapeImpl:function(e,t,n,r,a,i,o,s){switch(e){case"ellipse":return this.drawEllipsePath(t,n,r,a,i);case"polygon":return this.drawPolygonPath(t,n,r,a,i,o);case"round-polygon":return this.drawRoundPolygonPath(t,n,r,a,i,o,s);case"roundrectangle":case"round-rectangle":return this.drawRoundRectanglePath(t,n,r,a,i,s);case"cutrectangle":case"cut-rectangle":return this.drawCutRectanglePath(t,n,r,a,i,o,s);case"bottomroundrectangle":case"bottom-round-rectangle":return this.drawBottomRoundRectanglePath(t,n,r,a,i,s);case"barrel":return this.drawBarrelPath(t,n,r,a,i)}}},zh=Vh,Oh=Vh.prototype;function Vh(e){var t=this,n=t.cy.window().document;e.webgl&&(Oh.CANVAS_LAYERS=t.CANVAS_LAYERS=4,console.log("webgl rendering enabled")),t.data={canvases:new Array(Oh.CANVAS_LAYERS),contexts:new Array(Oh.CANVAS_LAYERS),canvasNeedsRedraw:new Array(Oh.CANVAS_LAYERS),bufferCanvases:new Array(Oh.BUFFER_COUNT),bufferContexts:new Array(Oh.CANVAS_LAYERS)};var r="-webkit-tap-highlight-color",a="rgba(0,0,0,0)";t.data.canvasContainer=n.createElement("div");var i=t.data.canvasContainer.style;t.data.canvasContainer.style[r]=a,i.position="relative",i.zIndex="0",i.overflow="hidden";var o=e.cy.container();o.appendChild(t.data.canvasContainer),o.style[r]=a;var s={"-webkit-user-select":"none","-moz-user-select":"-moz-none","user-select":"none","-webkit-tap-highlight-color":"rgba(0,0,0,0)","outline-style":"none"};d&&d.userAgent.match(/msie|trident|edge/i)&&(s["-ms-touch-action"]="none",s["touch-action"]="none");for(var l=0;l<Oh.CANVAS_LAYERS;l++){var u=t.data.canvases[l]=n.createElement("canvas"),c=Oh.CANVAS_TYPES[l];t.data.contexts[l]=u.getContext(c),t.data.contexts[l]||rt("Could not create canvas of type "+c),Object.keys(s).forEach((function(e){u.style[e]=s[e]})),u.style.position="absolute",u.setAttribute("data-id","layer"+l),u.style.zIndex=String(Oh.CANVAS_LAYERS-l),t.data.canvasContainer.appendChild(u),t.data.canvasNeedsRedraw[l]=!1}t.data.topCanvas=t.data.canvases[0],t.data.canvases[Oh.NODE].setAttribute("data-id","layer"+Oh.NODE+"-node"),t.data.canvases[Oh.SELECT_BOX].setAttribute("data-id","layer"+Oh.SELECT_BOX+"-selectbox"),t.data.canvases[Oh.DRAG].setAttribute("data-id","layer"+Oh.DRAG+"-drag"),t.data.canvases[Oh.WEBGL]&&t.data.canvases[Oh.WEBGL].setAttribute("data-id","layer"+Oh.WEBGL+"-webgl");for(l=0;l<Oh.BUFFER_COUNT;l++)t.data.bufferCanvases[l]=n.createElement("canvas"),t.data.bufferContexts[l]=t.data.bufferCanvases[l].getContext("2d"),t.data.bufferCanvases[l].style.position="absolute",t.data.bufferCanvases[l].setAttribute("data-id","buffer"+l),t.data.bufferCanvases[l].style.zIndex=String(-l-1),t.data.bufferCanvases[l].style.visibility="hidden";t.pathsEnabled=!0;var h=tn(),f=function(e){return{x:-e.w/2,y:-e.h/2}},p=function(e){return e[0]._private.nodeKey},g=function(e){return e[0]._private.labelStyleKey},v=function(e){return e[0]._private.sourceLabelStyleKey},y=function(e){return e[0]._private.targetLabelStyleKey},m=function(e,n,r,a,i){return t.drawElement(e,n,r,!1,!1,i)},b=function(e,n,r,a,i){return t.drawElementText(e,n,r,a,"main",i)},x=function(e,n,r,a,i){return t.drawElementText(e,n,r,a,"source",i)},w=function(e,n,r,a,i){return t.drawElementText(e,n,r,a,"target",i)},E=function(e){return e.boundingBox(),e[0]._private.bodyBounds},k=function(e){return e.boundingBox(),e[0]._private.labelBounds.main||h},T=function(e){return e.boundingBox(),e[0]._private.labelBounds.source||h},C=function(e){return e.boundingBox(),e[0]._private.labelBounds.target||h},P=function(e,t){return t},S=function(e){return{x:((t=E(e)).x1+t.x2)/2,y:(t.y1+t.y2)/2};var t},B=function(e,t,n){var r=e?e+"-":"";return{x:t.x+n.pstyle(r+"text-margin-x").pfValue,y:t.y+n.pstyle(r+"text-margin-y").pfValue}},D=function(e,t,n){var r=e[0]._private.rscratch;return{x:r[t],y:r[n]}},_=function(e){return B("",D(e,"labelX","labelY"),e)},A=function(e){return B("source",D(e,"sourceLabelX","sourceLabelY"),e)},M=function(e){return B("target",D(e,"targetLabelX","targetLabelY"),e)},R=function(e){return f(E(e))},I=function(e){return f(T(e))},N=function(e){return f(C(e))},L=function(e){var t=k(e),n=f(k(e));if(e.isNode()){switch(Bs(e.pstyle("text-halign").value)){case"left":n.x=-t.w-(t.leftPad||0);break;case"right":n.x=-(t.rightPad||0)}switch(Ds(e.pstyle("text-valign").value)){case"top":n.y=-t.h-(t.topPad||0);break;case"bottom":n.y=-(t.botPad||0)}}return n},z=t.data.eleTxrCache=new md(t,{getKey:p,doesEleInvalidateKey:function(e){var t=e[0]._private;return!(t.oldBackgroundTimestamp===t.backgroundTimestamp)},drawElement:m,getBoundingBox:E,getRotationPoint:S,getRotationOffset:R,allowEdgeTxrCaching:!1,allowParentTxrCaching:!1}),O=t.data.lblTxrCache=new md(t,{getKey:g,drawElement:b,getBoundingBox:k,getRotationPoint:_,getRotationOffset:L,isVisible:P}),V=t.data.slbTxrCache=new md(t,{getKey:v,drawElement:x,getBoundingBox:T,getRotationPoint:A,getRotationOffset:I,isVisible:P}),F=t.data.tlbTxrCache=new md(t,{getKey:y,drawElement:w,getBoundingBox:C,getRotationPoint:M,getRotationOffset:N,isVisible:P}),X=t.data.lyrTxrCache=new xd(t);t.onUpdateEleCalcs((function(e,t){z.invalidateElements(t),O.invalidateElements(t),V.invalidateElements(t),F.invalidateElements(t),X.invalidateElements(t);for(var n=0;n<t.length;n++){var r=t[n]._private;r.oldBackgroundTimestamp=r.backgroundTimestamp}}));var j=function(e){for(var t=0;t<e.length;t++)X.enqueueElementRefinement(e[t].ele)};z.onDequeue(j),O.onDequeue(j),V.onDequeue(j),F.onDequeue(j),e.webgl&&t.initWebgl(e,{getStyleKey:p,getLabelKey:g,getSourceLabelKey:v,getTargetLabelKey:y,drawElement:m,drawLabel:b,drawSourceLabel:x,drawTargetLabel:w,getElementBox:E,getLabelBox:k,getSourceLabelBox:T,getTargetLabelBox:C,getElementRotationPoint:S,getElementRotationOffset:R,getLabelRotationPoint:_,getSourceLabelRotationPoint:A,getTargetLabelRotationPoint:M,getLabelRotationOffset:L,getSourceLabelRotationOffset:I,getTargetLabelRotationOffset:N})}Oh.CANVAS_LAYERS=3,Oh.SELECT_BOX=0,Oh.DRAG=1,Oh.NODE=2,Oh.WEBGL=3,Oh.CANVAS_TYPES=["2d","2d","2d","webgl2"],Oh.BUFFER_COUNT=3,Oh.TEXTURE_BUFFER=0,Oh.MOTIONBLUR_BUFFER_NODE=1,Oh.MOTIONBLUR_BUFFER_DRAG=2,Oh.redrawHint=function(e,t){var n=this;switch(e){case"eles":n.data.canvasNeedsRedraw[Oh.NODE]=t;break;case"drag":n.data.canvasNeedsRedraw[Oh.DRAG]=t;break;case"select":n.data.canvasNeedsRedraw[Oh.SELECT_BOX]=t;break;case"gc":n.data.gc=!0}};var Fh="undefined"!=typeof Path2D;Oh.path2dEnabled=function(e){if(void 0===e)return this.pathsEnabled;this.pathsEnabled=!!e},Oh.usePaths=function(){return Fh&&this.pathsEnabled},Oh.setImgSmoothing=function(e,t){null!=e.imageSmoothingEnabled?e.imageSmoothingEnabled=t:(e.webkitImageSmoothingEnabled=t,e.mozImageSmoothingEnabled=t,e.msImageSmoothingEnabled=t)},Oh.getImgSmoothing=function(e){return null!=e.imageSmoothingEnabled?e.imageSmoothingEnabled:e.webkitImageSmoothingEnabled||e.mozImageSmoothingEnabled||e.msImageSmoothingEnabled},Oh.makeOffscreenCanvas=function(e,t){var n;"undefined"!==("undefined"==typeof OffscreenCanvas?"undefined":l(OffscreenCanvas))?n=new OffscreenCanvas(e,t):((n=this.cy.window().document.createElement("canvas")).width=e,n.height=t);return n},[Cd,Ad,Od,Fd,Xd,Yd,Ud,bh,Ph,Rh,Lh].forEach((function(e){ye(Oh,e)}));var Xh=[{type:"layout",extensions:fc},{type:"renderer",extensions:[{name:"null",impl:pc},{name:"base",impl:cd},{name:"canvas",impl:zh}]}],jh={},Yh={};function qh(e,t,n){var r=n,a=function(n){it("Can not register `"+t+"` for `"+e+"` since `"+n+"` already exists in the prototype and can not be overridden")};if("core"===e){if(Pu.prototype[t])return a(t);Pu.prototype[t]=n}else if("collection"===e){if(jl.prototype[t])return a(t);jl.prototype[t]=n}else if("layout"===e){for(var i=function(e){this.options=e,n.call(this,e),K(this._private)||(this._private={}),this._private.cy=e.cy,this._private.listeners=[],this.createEmitter()},o=i.prototype=Object.create(n.prototype),s=[],l=0;l<s.length;l++){var u=s[l];o[u]=o[u]||function(){return this}}o.start&&!o.run?o.run=function(){return this.start(),this}:!o.start&&o.run&&(o.start=function(){return this.run(),this});var c=n.prototype.stop;o.stop=function(){var e=this.options;if(e&&e.animate){var t=this.animations;if(t)for(var n=0;n<t.length;n++)t[n].stop()}return c?c.call(this):this.emit("layoutstop"),this},o.destroy||(o.destroy=function(){return this}),o.cy=function(){return this._private.cy};var d=function(e){return e._private.cy},h={addEventFields:function(e,t){t.layout=e,t.cy=d(e),t.target=e},bubble:function(){return!0},parent:function(e){return d(e)}};ye(o,{createEmitter:function(){return this._private.emitter=new ol(h,this),this},emitter:function(){return this._private.emitter},on:function(e,t){return this.emitter().on(e,t),this},one:function(e,t){return this.emitter().one(e,t),this},once:function(e,t){return this.emitter().one(e,t),this},removeListener:function(e,t){return this.emitter().removeListener(e,t),this},removeAllListeners:function(){return this.emitter().removeAllListeners(),this},emit:function(e,t){return this.emitter().emit(e,t),this}}),Eo.eventAliasesOn(o),r=i}else if("renderer"===e&&"null"!==t&&"base"!==t){var f=Wh("renderer","base"),p=f.prototype,g=n,v=n.prototype,y=function(){f.apply(this,arguments),g.apply(this,arguments)},m=y.prototype;for(var b in p){var x=p[b];if(null!=v[b])return a(b);m[b]=x}for(var w in v)m[w]=v[w];p.clientFunctions.forEach((function(e){m[e]=m[e]||function(){rt("Renderer does not implement `renderer."+e+"()` on its prototype")}})),r=y}else if("__proto__"===e||"constructor"===e||"prototype"===e)return rt(e+" is an illegal type to be registered, possibly lead to prototype pollutions");return xe({map:jh,keys:[e,t],value:r})}function Wh(e,t){return we({map:jh,keys:[e,t]})}function Uh(e,t,n,r,a){return xe({map:Yh,keys:[e,t,n,r],value:a})}function Hh(e,t,n,r){return we({map:Yh,keys:[e,t,n,r]})}var Kh=function(){return 2===arguments.length?Wh.apply(null,arguments):3===arguments.length?qh.apply(null,arguments):4===arguments.length?Hh.apply(null,arguments):5===arguments.length?Uh.apply(null,arguments):void rt("Invalid extension access syntax")};Pu.prototype.extension=Kh,Xh.forEach((function(e){e.extensions.forEach((function(t){qh(e.type,t.name,t.impl)}))}));var Gh=function(){if(!(this instanceof Gh))return new Gh;this.length=0},Zh=Gh.prototype;Zh.instanceString=function(){return"stylesheet"},Zh.selector=function(e){return this[this.length++]={selector:e,properties:[]},this},Zh.css=function(e,t){var n=this.length-1;if(W(e))this[n].properties.push({name:e,value:t});else if(K(e))for(var r=e,a=Object.keys(r),i=0;i<a.length;i++){var o=a[i],s=r[o];if(null!=s){var l=wu.properties[o]||wu.properties[se(o)];if(null!=l){var u=l.name,c=s;this[n].properties.push({name:u,value:c})}}}return this},Zh.style=Zh.css,Zh.generateStyle=function(e){var t=new wu(e);return this.appendToStyle(t)},Zh.appendToStyle=function(e){for(var t=0;t<this.length;t++){var n=this[t],r=n.selector,a=n.properties;e.selector(r);for(var i=0;i<a.length;i++){var o=a[i];e.css(o.name,o.value)}}return e};var $h=function(e){return void 0===e&&(e={}),K(e)?new Pu(e):W(e)?Kh.apply(Kh,arguments):void 0};return $h.use=function(e){var t=Array.prototype.slice.call(arguments,1);return t.unshift($h),e.apply(null,t),this},$h.warnings=function(e){return at(e)},$h.version="3.34.4",$h.stylesheet=$h.Stylesheet=Gh,$h}));

return module.exports; })();
vendor.uPlot = (() => {
/*! https://github.com/leeoniya/uPlot (v1.6.32) */
var uPlot=function(){"use strict";const l="u-off",e="u-label",t="width",n="height",i="top",o="bottom",s="left",r="right",u="#000",a=u+"0",f="mousemove",c="mousedown",h="mouseup",d="mouseenter",p="mouseleave",m="dblclick",g="change",x="dppxchange",w="--",_="undefined"!=typeof window,b=_?document:null,v=_?window:null,k=_?navigator:null;let y,M;function S(l,e){if(null!=e){let t=l.classList;!t.contains(e)&&t.add(e)}}function T(l,e){let t=l.classList;t.contains(e)&&t.remove(e)}function E(l,e,t){l.style[e]=t+"px"}function z(l,e,t,n){let i=b.createElement(l);return null!=e&&S(i,e),null!=t&&t.insertBefore(i,n),i}function D(l,e){return z("div",l,e)}const P=new WeakMap;function A(e,t,n,i,o){let s="translate("+t+"px,"+n+"px)";s!=P.get(e)&&(e.style.transform=s,P.set(e,s),0>t||0>n||t>i||n>o?S(e,l):T(e,l))}const W=new WeakMap;function Y(l,e,t){let n=e+t;n!=W.get(l)&&(W.set(l,n),l.style.background=e,l.style.borderColor=t)}const C=new WeakMap;function H(l,e,t,n){let i=e+""+t;i!=C.get(l)&&(C.set(l,i),l.style.height=t+"px",l.style.width=e+"px",l.style.marginLeft=n?-e/2+"px":0,l.style.marginTop=n?-t/2+"px":0)}const F={passive:!0},R={...F,capture:!0};function G(l,e,t,n){e.addEventListener(l,t,n?R:F)}function I(l,e,t){e.removeEventListener(l,t,F)}function L(l,e,t,n){let i;t=t||0;let o=2147483647>=(n=n||e.length-1);for(;n-t>1;)i=o?t+n>>1:sl((t+n)/2),l>e[i]?t=i:n=i;return l-e[t]>e[n]-l?n:t}function O(l){return(e,t,n)=>{let i=-1,o=-1;for(let o=t;n>=o;o++)if(l(e[o])){i=o;break}for(let i=n;i>=t;i--)if(l(e[i])){o=i;break}return[i,o]}}_&&function l(){let e=devicePixelRatio;y!=e&&(y=e,M&&I(g,M,l),M=matchMedia(`(min-resolution: ${y-.001}dppx) and (max-resolution: ${y+.001}dppx)`),G(g,M,l),v.dispatchEvent(new CustomEvent(x)))}();const N=l=>null!=l,j=l=>null!=l&&l>0,U=O(N),V=O(j);function B(l,e,t,n){let i=hl(l),o=hl(e);l==e&&(-1==i?(l*=t,e/=t):(l/=t,e*=t));let s=10==t?dl:pl,r=1==o?ul:sl,u=(1==i?sl:ul)(s(ol(l))),a=r(s(ol(e))),f=cl(t,u),c=cl(t,a);return 10==t&&(0>u&&(f=Al(f,-u)),0>a&&(c=Al(c,-a))),n||2==t?(l=f*i,e=c*o):(l=Pl(l,f),e=Dl(e,c)),[l,e]}function $(l,e,t,n){let i=B(l,e,t,n);return 0==l&&(i[0]=0),0==e&&(i[1]=0),i}const J=.1,q={mode:3,pad:J},K={pad:0,soft:null,mode:0},X={min:K,max:K};function Z(l,e,t,n){return Ol(t)?ll(l,e,t):(K.pad=t,K.soft=n?0:null,K.mode=n?3:0,ll(l,e,X))}function Q(l,e){return null==l?e:l}function ll(l,e,t){let n=t.min,i=t.max,o=Q(n.pad,0),s=Q(i.pad,0),r=Q(n.hard,-gl),u=Q(i.hard,gl),a=Q(n.soft,gl),f=Q(i.soft,-gl),c=Q(n.mode,0),h=Q(i.mode,0),d=e-l,p=dl(d),m=fl(ol(l),ol(e)),g=dl(m),x=ol(g-p);(1e-24>d||x>10)&&(d=0,0!=l&&0!=e||(d=1e-24,2==c&&a!=gl&&(o=0),2==h&&f!=-gl&&(s=0)));let w=d||m||1e3,_=dl(w),b=cl(10,sl(_)),v=Al(Pl(l-w*(0==d?0==l?.1:1:o),b/10),24),k=a>l||1!=c&&(3!=c||v>a)&&(2!=c||a>v)?gl:a,y=fl(r,k>v&&l>=k?k:al(k,v)),M=Al(Dl(e+w*(0==d?0==e?.1:1:s),b/10),24),S=e>f||1!=h&&(3!=h||f>M)&&(2!=h||M>f)?-gl:f,T=al(u,M>S&&S>=e?S:fl(S,M));return y==T&&0==y&&(T=100),[y,T]}const el=new Intl.NumberFormat(_?k.language:"en-US"),tl=l=>el.format(l),nl=Math,il=nl.PI,ol=nl.abs,sl=nl.floor,rl=nl.round,ul=nl.ceil,al=nl.min,fl=nl.max,cl=nl.pow,hl=nl.sign,dl=nl.log10,pl=nl.log2,ml=(l,e=1)=>nl.asinh(l/e),gl=1/0;function xl(l){return 1+(0|dl((l^l>>31)-(l>>31)))}function wl(l,e,t){return al(fl(l,e),t)}function _l(l){return"function"==typeof l}function bl(l){return _l(l)?l:()=>l}const vl=l=>l,kl=(l,e)=>e,yl=()=>null,Ml=()=>!0,Sl=(l,e)=>l==e,Tl=/\.\d*?(?=9{6,}|0{6,})/gm,El=l=>{if(Il(l)||Wl.has(l))return l;const e=""+l,t=e.match(Tl);if(null==t)return l;let n=t[0].length-1;if(-1!=e.indexOf("e-")){let[l,t]=e.split("e");return+`${El(l)}e${t}`}return Al(l,n)};function zl(l,e){return El(Al(El(l/e))*e)}function Dl(l,e){return El(ul(El(l/e))*e)}function Pl(l,e){return El(sl(El(l/e))*e)}function Al(l,e=0){if(Il(l))return l;let t=10**e;return rl(l*t*(1+Number.EPSILON))/t}const Wl=new Map;function Yl(l){return((""+l).split(".")[1]||"").length}function Cl(l,e,t,n){let i=[],o=n.map(Yl);for(let s=e;t>s;s++){let e=ol(s),t=Al(cl(l,s),e);for(let r=0;n.length>r;r++){let u=10==l?+`${n[r]}e${s}`:n[r]*t,a=(0>s?e:0)+(o[r]>s?o[r]:0),f=10==l?u:Al(u,a);i.push(f),Wl.set(f,a)}}return i}const Hl={},Fl=[],Rl=[null,null],Gl=Array.isArray,Il=Number.isInteger;function Ll(l){return"string"==typeof l}function Ol(l){let e=!1;if(null!=l){let t=l.constructor;e=null==t||t==Object}return e}function Nl(l){return null!=l&&"object"==typeof l}const jl=Object.getPrototypeOf(Uint8Array),Ul="__proto__";function Vl(l,e=Ol){let t;if(Gl(l)){let n=l.find((l=>null!=l));if(Gl(n)||e(n)){t=Array(l.length);for(let n=0;l.length>n;n++)t[n]=Vl(l[n],e)}else t=l.slice()}else if(l instanceof jl)t=l.slice();else if(e(l)){t={};for(let n in l)n!=Ul&&(t[n]=Vl(l[n],e))}else t=l;return t}function Bl(l){let e=arguments;for(let t=1;e.length>t;t++){let n=e[t];for(let e in n)e!=Ul&&(Ol(l[e])?Bl(l[e],Vl(n[e])):l[e]=Vl(n[e]))}return l}function $l(l,e,t){for(let n,i=0,o=-1;e.length>i;i++){let s=e[i];if(s>o){for(n=s-1;n>=0&&null==l[n];)l[n--]=null;for(n=s+1;t>n&&null==l[n];)l[o=n++]=null}}}const Jl="undefined"==typeof queueMicrotask?l=>Promise.resolve().then(l):queueMicrotask,ql=["January","February","March","April","May","June","July","August","September","October","November","December"],Kl=["Sunday","Monday","Tuesday","Wednesday","Thursday","Friday","Saturday"];function Xl(l){return l.slice(0,3)}const Zl=Kl.map(Xl),Ql=ql.map(Xl),le={MMMM:ql,MMM:Ql,WWWW:Kl,WWW:Zl};function ee(l){return(10>l?"0":"")+l}const te={YYYY:l=>l.getFullYear(),YY:l=>(l.getFullYear()+"").slice(2),MMMM:(l,e)=>e.MMMM[l.getMonth()],MMM:(l,e)=>e.MMM[l.getMonth()],MM:l=>ee(l.getMonth()+1),M:l=>l.getMonth()+1,DD:l=>ee(l.getDate()),D:l=>l.getDate(),WWWW:(l,e)=>e.WWWW[l.getDay()],WWW:(l,e)=>e.WWW[l.getDay()],HH:l=>ee(l.getHours()),H:l=>l.getHours(),h:l=>{let e=l.getHours();return 0==e?12:e>12?e-12:e},AA:l=>12>l.getHours()?"AM":"PM",aa:l=>12>l.getHours()?"am":"pm",a:l=>12>l.getHours()?"a":"p",mm:l=>ee(l.getMinutes()),m:l=>l.getMinutes(),ss:l=>ee(l.getSeconds()),s:l=>l.getSeconds(),fff:l=>function(l){return(10>l?"00":100>l?"0":"")+l}(l.getMilliseconds())};function ne(l,e){e=e||le;let t,n=[],i=/\{([a-z]+)\}|[^{]+/gi;for(;t=i.exec(l);)n.push("{"==t[0][0]?te[t[1]]:t[0]);return l=>{let t="";for(let i=0;n.length>i;i++)t+="string"==typeof n[i]?n[i]:n[i](l,e);return t}}const ie=(new Intl.DateTimeFormat).resolvedOptions().timeZone,oe=l=>l%1==0,se=[1,2,2.5,5],re=Cl(10,-32,0,se),ue=Cl(10,0,32,se),ae=ue.filter(oe),fe=re.concat(ue),ce="{YYYY}",he="\n"+ce,de="{M}/{D}",pe="\n"+de,me=pe+"/{YY}",ge="{aa}",xe="{h}:{mm}"+ge,we="\n"+xe,_e=":{ss}",be=null;function ve(l){let e=1e3*l,t=60*e,n=60*t,i=24*n,o=30*i,s=365*i;return[(1==l?Cl(10,0,3,se).filter(oe):Cl(10,-3,0,se)).concat([e,5*e,10*e,15*e,30*e,t,5*t,10*t,15*t,30*t,n,2*n,3*n,4*n,6*n,8*n,12*n,i,2*i,3*i,4*i,5*i,6*i,7*i,8*i,9*i,10*i,15*i,o,2*o,3*o,4*o,6*o,s,2*s,5*s,10*s,25*s,50*s,100*s]),[[s,ce,be,be,be,be,be,be,1],[28*i,"{MMM}",he,be,be,be,be,be,1],[i,de,he,be,be,be,be,be,1],[n,"{h}"+ge,me,be,pe,be,be,be,1],[t,xe,me,be,pe,be,be,be,1],[e,_e,me+" "+xe,be,pe+" "+xe,be,we,be,1],[l,_e+".{fff}",me+" "+xe,be,pe+" "+xe,be,we,be,1]],function(e){return(r,u,a,f,c,h)=>{let d=[],p=c>=s,m=c>=o&&s>c,g=e(a),x=Al(g*l,3),w=Pe(g.getFullYear(),p?0:g.getMonth(),m||p?1:g.getDate()),_=Al(w*l,3);if(m||p){let t=m?c/o:0,n=p?c/s:0,i=x==_?x:Al(Pe(w.getFullYear()+n,w.getMonth()+t,1)*l,3),r=new Date(rl(i/l)),u=r.getFullYear(),a=r.getMonth();for(let o=0;f>=i;o++){let s=Pe(u+n*o,a+t*o,1),r=s-e(Al(s*l,3));i=Al((+s+r)*l,3),i>f||d.push(i)}}else{let o=i>c?c:i,s=_+(sl(a)-sl(x))+Dl(x-_,o);d.push(s);let p=e(s),m=p.getHours()+p.getMinutes()/t+p.getSeconds()/n,g=c/n,w=h/r.axes[u]._space;for(;s=Al(s+c,1==l?0:3),f>=s;)if(g>1){let l=sl(Al(m+g,6))%24,t=e(s).getHours()-l;t>1&&(t=-1),s-=t*n,m=(m+g)%24,.7>Al((s-d[d.length-1])/c,3)*w||d.push(s)}else d.push(s)}return d}}]}const[ke,ye,Me]=ve(1),[Se,Te,Ee]=ve(.001);function ze(l,e){return l.map((l=>l.map(((t,n)=>0==n||8==n||null==t?t:e(1==n||0==l[8]?t:l[1]+t)))))}function De(l,e){return(t,n,i,o,s)=>{let r,u,a,f,c,h,d=e.find((l=>s>=l[0]))||e[e.length-1];return n.map((e=>{let t=l(e),n=t.getFullYear(),i=t.getMonth(),o=t.getDate(),s=t.getHours(),p=t.getMinutes(),m=t.getSeconds(),g=n!=r&&d[2]||i!=u&&d[3]||o!=a&&d[4]||s!=f&&d[5]||p!=c&&d[6]||m!=h&&d[7]||d[1];return r=n,u=i,a=o,f=s,c=p,h=m,g(t)}))}}function Pe(l,e,t){return new Date(l,e,t)}function Ae(l,e){return e(l)}function We(l,e){return(t,n,i,o)=>null==o?w:e(l(n))}Cl(2,-53,53,[1]);const Ye={show:!0,live:!0,isolate:!1,mount:()=>{},markers:{show:!0,width:2,stroke:function(l,e){let t=l.series[e];return t.width?t.stroke(l,e):t.points.width?t.points.stroke(l,e):null},fill:function(l,e){return l.series[e].fill(l,e)},dash:"solid"},idx:null,idxs:null,values:[]},Ce=[0,0];function He(l,e,t,n=!0){return l=>{0==l.button&&(!n||l.target==e)&&t(l)}}function Fe(l,e,t,n=!0){return l=>{(!n||l.target==e)&&t(l)}}const Re={show:!0,x:!0,y:!0,lock:!1,move:function(l,e,t){return Ce[0]=e,Ce[1]=t,Ce},points:{one:!1,show:function(l,e){let i=l.cursor.points,o=D(),s=i.size(l,e);E(o,t,s),E(o,n,s);let r=s/-2;E(o,"marginLeft",r),E(o,"marginTop",r);let u=i.width(l,e,s);return u&&E(o,"borderWidth",u),o},size:function(l,e){return l.series[e].points.size},width:0,stroke:function(l,e){let t=l.series[e].points;return t._stroke||t._fill},fill:function(l,e){let t=l.series[e].points;return t._fill||t._stroke}},bind:{mousedown:He,mouseup:He,click:He,dblclick:He,mousemove:Fe,mouseleave:Fe,mouseenter:Fe},drag:{setScale:!0,x:!0,y:!1,dist:0,uni:null,click:(l,e)=>{e.stopPropagation(),e.stopImmediatePropagation()},_x:!1,_y:!1},focus:{dist:(l,e,t,n,i)=>n-i,prox:-1,bias:0},hover:{skip:[void 0],prox:null,bias:0},left:-10,top:-10,idx:null,dataIdx:null,idxs:null,event:null},Ge={show:!0,stroke:"rgba(0,0,0,0.07)",width:2},Ie=Bl({},Ge,{filter:kl}),Le=Bl({},Ie,{size:10}),Oe=Bl({},Ge,{show:!1}),Ne='12px system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, "Noto Sans", sans-serif, "Apple Color Emoji", "Segoe UI Emoji", "Segoe UI Symbol", "Noto Color Emoji"',je="bold "+Ne,Ue={show:!0,scale:"x",stroke:u,space:50,gap:5,alignTo:1,size:50,labelGap:0,labelSize:30,labelFont:je,side:2,grid:Ie,ticks:Le,border:Oe,font:Ne,lineGap:1.5,rotate:0},Ve={show:!0,scale:"x",auto:!1,sorted:1,min:gl,max:-gl,idxs:[]};function Be(l,e){return e.map((l=>null==l?"":tl(l)))}function $e(l,e,t,n,i,o,s){let r=[],u=Wl.get(i)||0;for(let l=t=s?t:Al(Dl(t,i),u);n>=l;l=Al(l+i,u))r.push(Object.is(l,-0)?0:l);return r}function Je(l,e,t,n,i){const o=[],s=l.scales[l.axes[e].scale].log,r=sl((10==s?dl:pl)(t));i=cl(s,r),10==s&&(i=fe[L(i,fe)]);let u=t,a=i*s;10==s&&(a=fe[L(a,fe)]);do{o.push(u),u+=i,10!=s||Wl.has(u)||(u=Al(u,Wl.get(i))),a>u||(a=(i=u)*s,10==s&&(a=fe[L(a,fe)]))}while(n>=u);return o}function qe(l,e,t,n,i){let o=l.scales[l.axes[e].scale].asinh,s=n>o?Je(l,e,fl(o,t),n,i):[o],r=0>n||t>0?[]:[0];return(-o>t?Je(l,e,fl(o,-n),-t,i):[o]).reverse().map((l=>-l)).concat(r,s)}const Ke=/./,Xe=/[12357]/,Ze=/[125]/,Qe=/1/,lt=(l,e,t,n)=>l.map(((l,i)=>4==e&&0==l||i%n==0&&t.test(l.toExponential()[0>l?1:0])?l:null));function et(l,e,t){let n=l.axes[t],i=n.scale,o=l.scales[i],s=l.valToPos,r=n._space,u=s(10,i),a=s(9,i)-u<r?s(7,i)-u<r?s(5,i)-u<r?Qe:Ze:Xe:Ke;if(a==Qe){let l=ol(s(1,i)-u);if(r>l)return lt(e.slice().reverse(),o.distr,a,ul(r/l)).reverse()}return lt(e,o.distr,a,1)}function tt(l,e,t){let n=l.axes[t],i=n.scale,o=n._space,s=l.valToPos,r=ol(s(1,i)-s(2,i));return o>r?lt(e.slice().reverse(),3,Ke,ul(o/r)).reverse():e}function nt(l,e,t,n){return null==n?w:null==e?"":tl(e)}const it={show:!0,scale:"y",stroke:u,space:30,gap:5,alignTo:1,size:50,labelGap:0,labelSize:30,labelFont:je,side:3,grid:Ie,ticks:Le,border:Oe,font:Ne,lineGap:1.5,rotate:0},ot={scale:null,auto:!0,sorted:0,min:gl,max:-gl},st=(l,e,t,n,i)=>i,rt={show:!0,auto:!0,sorted:0,gaps:st,alpha:1,facets:[Bl({},ot,{scale:"x"}),Bl({},ot,{scale:"y"})]},ut={scale:"y",auto:!0,sorted:0,show:!0,spanGaps:!1,gaps:st,alpha:1,points:{show:function(l,e){let{scale:t,idxs:n}=l.series[0],i=l._data[0],o=l.valToPos(i[n[0]],t,!0),s=l.valToPos(i[n[1]],t,!0);return ol(s-o)/(l.series[e].points.space*y)>=n[1]-n[0]},filter:null},values:null,min:gl,max:-gl,idxs:[],path:null,clip:null};function at(l,e,t){return t/10}const ft={time:!0,auto:!0,distr:1,log:10,asinh:1,min:null,max:null,dir:1,ori:0},ct=Bl({},ft,{time:!1,ori:1}),ht={};function dt(l){let e=ht[l];return e||(e={key:l,plots:[],sub(l){e.plots.push(l)},unsub(l){e.plots=e.plots.filter((e=>e!=l))},pub(l,t,n,i,o,s,r){for(let u=0;e.plots.length>u;u++)e.plots[u]!=t&&e.plots[u].pub(l,t,n,i,o,s,r)}},null!=l&&(ht[l]=e)),e}function pt(l,e,t){const n=l.mode,i=l.series[e],o=2==n?l._data[e]:l._data,s=l.scales,r=l.bbox;let u=o[0],a=2==n?o[1]:o[e],f=2==n?s[i.facets[0].scale]:s[l.series[0].scale],c=2==n?s[i.facets[1].scale]:s[i.scale],h=r.left,d=r.top,p=r.width,m=r.height,g=l.valToPosH,x=l.valToPosV;return 0==f.ori?t(i,u,a,f,c,g,x,h,d,p,m,kt,Mt,Tt,zt,Pt):t(i,u,a,f,c,x,g,d,h,m,p,yt,St,Et,Dt,At)}function mt(l,e){let t=0,n=0,i=Q(l.bands,Fl);for(let l=0;i.length>l;l++){let o=i[l];o.series[0]==e?t=o.dir:o.series[1]==e&&(n|=1==o.dir?1:2)}return[t,1==n?-1:2==n?1:3==n?2:0]}function gt(l,e,t,n,i){let o=l.series[e],s=l.scales[2==l.mode?o.facets[1].scale:o.scale];return-1==i?s.min:1==i?s.max:3==s.distr?1==s.dir?s.min:s.max:0}function xt(l,e,t,n,i,o){return pt(l,e,((l,e,s,r,u,a,f,c,h,d,p)=>{let m=l.pxRound;const g=0==r.ori?Mt:St;let x,w;1==r.dir*(0==r.ori?1:-1)?(x=t,w=n):(x=n,w=t);let _=m(a(e[x],r,d,c)),b=m(f(s[x],u,p,h)),v=m(a(e[w],r,d,c)),k=m(f(1==o?u.max:u.min,u,p,h)),y=new Path2D(i);return g(y,v,k),g(y,_,k),g(y,_,b),y}))}function wt(l,e,t,n,i,o){let s=null;if(l.length>0){s=new Path2D;const r=0==e?Tt:Et;let u=t;for(let e=0;l.length>e;e++){let t=l[e];if(t[1]>t[0]){let l=t[0]-u;l>0&&r(s,u,n,l,n+o),u=t[1]}}let a=t+i-u,f=10;a>0&&r(s,u,n-f/2,a,n+o+f)}return s}function _t(l,e,t,n,i,o,s){let r=[],u=l.length;for(let a=1==i?t:n;a>=t&&n>=a;a+=i)if(null===e[a]){let f=a,c=a;if(1==i)for(;++a<=n&&null===e[a];)c=a;else for(;--a>=t&&null===e[a];)c=a;let h=o(l[f]),d=c==f?h:o(l[c]),p=f-i;h=s>0||0>p||p>=u?h:o(l[p]);let m=c+i;d=0>s||0>m||m>=u?d:o(l[m]),h>d||r.push([h,d])}return r}function bt(l){return 0==l?vl:1==l?rl:e=>zl(e,l)}function vt(l){let e=0==l?kt:yt,t=0==l?(l,e,t,n,i,o)=>{l.arcTo(e,t,n,i,o)}:(l,e,t,n,i,o)=>{l.arcTo(t,e,i,n,o)},n=0==l?(l,e,t,n,i)=>{l.rect(e,t,n,i)}:(l,e,t,n,i)=>{l.rect(t,e,i,n)};return(l,i,o,s,r,u=0,a=0)=>{0==u&&0==a?n(l,i,o,s,r):(u=al(u,s/2,r/2),a=al(a,s/2,r/2),e(l,i+u,o),t(l,i+s,o,i+s,o+r,u),t(l,i+s,o+r,i,o+r,a),t(l,i,o+r,i,o,a),t(l,i,o,i+s,o,u),l.closePath())}}const kt=(l,e,t)=>{l.moveTo(e,t)},yt=(l,e,t)=>{l.moveTo(t,e)},Mt=(l,e,t)=>{l.lineTo(e,t)},St=(l,e,t)=>{l.lineTo(t,e)},Tt=vt(0),Et=vt(1),zt=(l,e,t,n,i,o)=>{l.arc(e,t,n,i,o)},Dt=(l,e,t,n,i,o)=>{l.arc(t,e,n,i,o)},Pt=(l,e,t,n,i,o,s)=>{l.bezierCurveTo(e,t,n,i,o,s)},At=(l,e,t,n,i,o,s)=>{l.bezierCurveTo(t,e,i,n,s,o)};function Wt(){return(l,e,t,n,i)=>pt(l,e,((e,o,s,r,u,a,f,c,h,d,p)=>{let m,g,{pxRound:x,points:w}=e;0==r.ori?(m=kt,g=zt):(m=yt,g=Dt);const _=Al(w.width*y,3);let b=(w.size-w.width)/2*y,v=Al(2*b,3),k=new Path2D,M=new Path2D,{left:S,top:T,width:E,height:z}=l.bbox;Tt(M,S-v,T-v,E+2*v,z+2*v);const D=l=>{if(null!=s[l]){let e=x(a(o[l],r,d,c)),t=x(f(s[l],u,p,h));m(k,e+b,t),g(k,e,t,b,0,2*il)}};if(i)i.forEach(D);else for(let l=t;n>=l;l++)D(l);return{stroke:_>0?k:null,fill:k,clip:M,flags:3}}))}function Yt(l){return(e,t,n,i,o,s)=>{n!=i&&(o!=n&&s!=n&&l(e,t,n),o!=i&&s!=i&&l(e,t,i),l(e,t,s))}}const Ct=Yt(Mt),Ht=Yt(St);function Ft(l){const e=Q(l?.alignGaps,0);return(l,t,n,i)=>pt(l,t,((o,s,r,u,a,f,c,h,d,p,m)=>{[n,i]=U(r,n,i);let g,x,w=o.pxRound,_=l=>w(f(l,u,p,h)),b=l=>w(c(l,a,m,d));0==u.ori?(g=Mt,x=Ct):(g=St,x=Ht);const v=u.dir*(0==u.ori?1:-1),k={stroke:new Path2D,fill:null,clip:null,band:null,gaps:null,flags:1},y=k.stroke;let M=!1;if(i-n<4*p)for(let l=1==v?n:i;l>=n&&i>=l;l+=v){let e=r[l];null===e?M=!0:null!=e&&g(y,_(s[l]),b(e))}else{let e,t,o,a=e=>l.posToVal(e,u.key,!0),f=null,c=null,h=_(s[1==v?n:i]),d=_(s[n]),p=_(s[i]),m=a(1==v?d+1:p-1);for(let l=1==v?n:i;l>=n&&i>=l;l+=v){let n=s[l],i=(1==v?m>n:n>m)?h:_(n),o=r[l];i==h?null!=o?(t=o,null==f?(g(y,i,b(t)),e=f=c=t):f>t?f=t:t>c&&(c=t)):null===o&&(M=!0):(null!=f&&x(y,h,b(f),b(c),b(e),b(t)),null!=o?(t=o,g(y,i,b(t)),f=c=e=t):(f=c=null,null===o&&(M=!0)),h=i,m=a(h+v))}null!=f&&f!=c&&o!=h&&x(y,h,b(f),b(c),b(e),b(t))}let[S,T]=mt(l,t);if(null!=o.fill||0!=S){let e=k.fill=new Path2D(y),r=b(o.fillTo(l,t,o.min,o.max,S)),u=_(s[n]),a=_(s[i]);-1==v&&([a,u]=[u,a]),g(e,a,r),g(e,u,r)}if(!o.spanGaps){let a=[];M&&a.push(..._t(s,r,n,i,v,_,e)),k.gaps=a=o.gaps(l,t,n,i,a),k.clip=wt(a,u.ori,h,d,p,m)}return 0!=T&&(k.band=2==T?[xt(l,t,n,i,y,-1),xt(l,t,n,i,y,1)]:xt(l,t,n,i,y,T)),k}))}function Rt(l,e,t,n,i,o,s=gl){if(l.length>1){let r=null;for(let u=0,a=1/0;l.length>u;u++)if(void 0!==e[u]){if(null!=r){let e=ol(l[u]-l[r]);a>e&&(a=e,s=ol(t(l[u],n,i,o)-t(l[r],n,i,o)))}r=u}}return s}function Gt(l,e,t,n,i){const o=l.length;if(2>o)return null;const s=new Path2D;if(t(s,l[0],e[0]),2==o)n(s,l[1],e[1]);else{let t=Array(o),n=Array(o-1),r=Array(o-1),u=Array(o-1);for(let t=0;o-1>t;t++)r[t]=e[t+1]-e[t],u[t]=l[t+1]-l[t],n[t]=r[t]/u[t];t[0]=n[0];for(let l=1;o-1>l;l++)0===n[l]||0===n[l-1]||n[l-1]>0!=n[l]>0?t[l]=0:(t[l]=3*(u[l-1]+u[l])/((2*u[l]+u[l-1])/n[l-1]+(u[l]+2*u[l-1])/n[l]),isFinite(t[l])||(t[l]=0));t[o-1]=n[o-2];for(let n=0;o-1>n;n++)i(s,l[n]+u[n]/3,e[n]+t[n]*u[n]/3,l[n+1]-u[n]/3,e[n+1]-t[n+1]*u[n]/3,l[n+1],e[n+1])}return s}const It=new Set;function Lt(){for(let l of It)l.syncRect(!0)}_&&(G("resize",v,Lt),G("scroll",v,Lt,!0),G(x,v,(()=>{en.pxRatio=y})));const Ot=Ft(),Nt=Wt();function jt(l,e,t,n){return(n?[l[0],l[1]].concat(l.slice(2)):[l[0]].concat(l.slice(1))).map(((l,n)=>Ut(l,n,e,t)))}function Ut(l,e,t,n){return Bl({},0==e?t:n,l)}function Vt(l,e,t){return null==e?Rl:[e,t]}const Bt=Vt;function $t(l,e,t){return null==e?Rl:Z(e,t,J,!0)}function Jt(l,e,t,n){return null==e?Rl:B(e,t,l.scales[n].log,!1)}const qt=Jt;function Kt(l,e,t,n){return null==e?Rl:$(e,t,l.scales[n].log,!1)}const Xt=Kt;function Zt(l,e,t,n,i){let o=fl(xl(l),xl(e)),s=e-l,r=L(i/n*s,t);do{let l=t[r],e=n*l/s;if(e>=i&&17>=o+(5>l?Wl.get(l):0))return[l,e]}while(++r<t.length);return[0,0]}function Qt(l){let e,t;return[l=l.replace(/(\d+)px/,((l,n)=>(e=rl((t=+n)*y))+"px")),e,t]}function ln(l){l.show&&[l.font,l.labelFont].forEach((l=>{let e=Al(l[2]*y,1);l[0]=l[0].replace(/[0-9.]+px/,e+"px"),l[1]=e}))}function en(u,g,_){const k={mode:Q(u.mode,1)},M=k.mode;function P(l,e,t,n){let i=e.valToPct(l);return n+t*(-1==e.dir?1-i:i)}function W(l,e,t,n){let i=e.valToPct(l);return n+t*(-1==e.dir?i:1-i)}function C(l,e,t,n){return 0==e.ori?P(l,e,t,n):W(l,e,t,n)}k.valToPosH=P,k.valToPosV=W;let F=!1;k.status=0;const R=k.root=D("uplot");null!=u.id&&(R.id=u.id),S(R,u.class),u.title&&(D("u-title",R).textContent=u.title);const O=z("canvas"),K=k.ctx=O.getContext("2d"),X=D("u-wrap",R);G("click",X,(l=>{l.target===el&&(Nn!=Gn||jn!=In)&&Zn.click(k,l)}),!0);const ll=k.under=D("u-under",X);X.appendChild(O);const el=k.over=D("u-over",X),tl=+Q((u=Vl(u)).pxAlign,1),sl=bt(tl);(u.plugins||[]).forEach((l=>{l.opts&&(u=l.opts(k,u)||u)}));const hl=u.ms||.001,pl=k.series=1==M?jt(u.series||[],Ve,ut,!1):function(l,e){return l.map(((l,t)=>0==t?{}:Bl({},e,l)))}(u.series||[null],rt),xl=k.axes=jt(u.axes||[],Ue,it,!0),vl=k.scales={},Tl=k.bands=u.bands||[];Tl.forEach((l=>{l.fill=bl(l.fill||null),l.dir=Q(l.dir,-1)}));const El=2==M?pl[1].facets[0].scale:pl[0].scale,Dl={axes:function(){for(let l=0;xl.length>l;l++){let e=xl[l];if(!e.show||!e._show)continue;let t,n,u=e.side,a=u%2,f=e.stroke(k,l),c=0==u||3==u?-1:1,[h,d]=e._found;if(null!=e.label){let s=rl((e._lpos+e.labelGap*c)*y);_n(e.labelFont[0],f,"center",2==u?i:o),K.save(),1==a?(t=n=0,K.translate(s,rl(lt+st/2)),K.rotate((3==u?-il:il)/2)):(t=rl(Qe+ot/2),n=s);let r=_l(e.label)?e.label(k,l,h,d):e.label;K.fillText(r,t,n),K.restore()}if(0==d)continue;let p=vl[e.scale],m=0==a?ot:st,g=0==a?Qe:lt,x=e._splits,w=2==p.distr?x.map((l=>pn[l])):x,_=2==p.distr?pn[x[1]]-pn[x[0]]:h,b=e.ticks,v=e.border,M=b.show?b.size:0,S=rl(M*y),T=rl((2==e.alignTo?e._size-M-e.gap:e.gap)*y),E=e._rotate*-il/180,z=sl(e._pos*y),D=z+(S+T)*c;n=0==a?D:0,t=1==a?D:0,_n(e.font[0],f,1==e.align?s:2==e.align?r:E>0?s:0>E?r:0==a?"center":3==u?r:s,E||1==a?"middle":2==u?i:o);let P=e.font[1]*e.lineGap,A=x.map((l=>sl(C(l,p,m,g)))),W=e._values;for(let l=0;W.length>l;l++){let e=W[l];if(null!=e){0==a?t=A[l]:n=A[l],e=""+e;let i=-1==e.indexOf("\n")?[e]:e.split(/\n/gm);for(let l=0;i.length>l;l++){let e=i[l];E?(K.save(),K.translate(t,n+l*P),K.rotate(E),K.fillText(e,0,0),K.restore()):K.fillText(e,t,n+l*P)}}}b.show&&zn(A,b.filter(k,w,l,d,_),a,u,z,S,Al(b.width*y,3),b.stroke(k,l),b.dash,b.cap);let Y=e.grid;Y.show&&zn(A,Y.filter(k,w,l,d,_),a,0==a?2:1,0==a?lt:Qe,0==a?st:ot,Al(Y.width*y,3),Y.stroke(k,l),Y.dash,Y.cap),v.show&&zn([z],[1],0==a?1:0,0==a?1:2,1==a?lt:Qe,1==a?st:ot,Al(v.width*y,3),v.stroke(k,l),v.dash,v.cap)}Ci("drawAxes")},series:function(){if(Gt>0){let l=pl.some((l=>l._focus))&&dn!=Tt.alpha;l&&(K.globalAlpha=dn=Tt.alpha),pl.forEach(((l,e)=>{if(e>0&&l.show&&(kn(e,!1),kn(e,!0),null==l._paths)){let t=dn;dn!=l.alpha&&(K.globalAlpha=dn=l.alpha);let n=2==M?[0,g[e][0].length-1]:function(l){let e=wl(Lt-1,0,Gt-1),t=wl(en+1,0,Gt-1);for(;null==l[e]&&e>0;)e--;for(;null==l[t]&&Gt-1>t;)t++;return[e,t]}(g[e]);l._paths=l.paths(k,e,n[0],n[1]),dn!=t&&(K.globalAlpha=dn=t)}})),pl.forEach(((l,e)=>{if(e>0&&l.show){let t=dn;dn!=l.alpha&&(K.globalAlpha=dn=l.alpha),null!=l._paths&&yn(e,!1);{let t=null!=l._paths?l._paths.gaps:null,n=l.points.show(k,e,Lt,en,t),i=l.points.filter(k,e,n,t);(n||i)&&(l.points._paths=l.points.paths(k,e,Lt,en,i),yn(e,!0))}dn!=t&&(K.globalAlpha=dn=t),Ci("drawSeries",e)}})),l&&(K.globalAlpha=dn=1)}}},Pl=(u.drawOrder||["axes","series"]).map((l=>Dl[l]));function Cl(l){const e=3==l.distr?e=>dl(e>0?e:l.clamp(k,e,l.min,l.max,l.key)):4==l.distr?e=>ml(e,l.asinh):100==l.distr?e=>l.fwd(e):l=>l;return t=>{let n=e(t),{_min:i,_max:o}=l;return(n-i)/(o-i)}}function Il(l){let e=vl[l];if(null==e){let t=(u.scales||Hl)[l]||Hl;if(null!=t.from){Il(t.from);let e=Bl({},vl[t.from],t,{key:l});e.valToPct=Cl(e),vl[l]=e}else{e=vl[l]=Bl({},l==El?ft:ct,t),e.key=l;let n=e.time,i=e.range,o=Gl(i);if((l!=El||2==M&&!n)&&(!o||null!=i[0]&&null!=i[1]||(i={min:null==i[0]?q:{mode:1,hard:i[0],soft:i[0]},max:null==i[1]?q:{mode:1,hard:i[1],soft:i[1]}},o=!1),!o&&Ol(i))){let l=i;i=(e,t,n)=>null==t?Rl:Z(t,n,l)}e.range=bl(i||(n?Bt:l==El?3==e.distr?qt:4==e.distr?Xt:Vt:3==e.distr?Jt:4==e.distr?Kt:$t)),e.auto=bl(!o&&e.auto),e.clamp=bl(e.clamp||at),e._min=e._max=null,e.valToPct=Cl(e)}}}Il("x"),Il("y"),1==M&&pl.forEach((l=>{Il(l.scale)})),xl.forEach((l=>{Il(l.scale)}));for(let l in u.scales)Il(l);const jl=vl[El],Ul=jl.distr;let $l,ql;0==jl.ori?(S(R,"u-hz"),$l=P,ql=W):(S(R,"u-vt"),$l=W,ql=P);const Kl={};for(let l in vl){let e=vl[l];null==e.min&&null==e.max||(Kl[l]={min:e.min,max:e.max},e.min=e.max=null)}const Xl=u.tzDate||(l=>new Date(rl(l/hl))),Zl=u.fmtDate||ne,Ql=1==hl?Me(Xl):Ee(Xl),le=De(Xl,ze(1==hl?ye:Te,Zl)),ee=We(Xl,Ae("{YYYY}-{MM}-{DD} {h}:{mm}{aa}",Zl)),te=[],ie=k.legend=Bl({},Ye,u.legend),oe=k.cursor=Bl({},Re,{drag:{y:2==M}},u.cursor),se=ie.show,re=oe.show,ue=ie.markers;let ce,he,de;ie.idxs=te,ue.width=bl(ue.width),ue.dash=bl(ue.dash),ue.stroke=bl(ue.stroke),ue.fill=bl(ue.fill);let pe,me=[],ge=[],xe=!1,we={};if(ie.live){const l=pl[1]?pl[1].values:null;xe=null!=l,pe=xe?l(k,1,0):{_:0};for(let l in pe)we[l]=w}if(se)if(ce=z("table","u-legend",R),de=z("tbody",null,ce),ie.mount(k,ce),xe){he=z("thead",null,ce,de);let l=z("tr",null,he);for(var _e in z("th",null,l),pe)z("th",e,l).textContent=_e}else S(ce,"u-inline"),ie.live&&S(ce,"u-live");const be={show:!0},ve={show:!1},Pe=new Map;function Ce(l,e,t,n=!0){const i=Pe.get(e)||{},o=oe.bind[l](k,e,t,n);o&&(G(l,e,i[l]=o),Pe.set(e,i))}function He(l,e){const t=Pe.get(e)||{};for(let n in t)null!=l&&n!=l||(I(n,e,t[n]),delete t[n]);null==l&&Pe.delete(e)}let Fe=0,Ge=0,Ie=0,Le=0,Oe=0,Ne=0,je=Oe,Ke=Ne,Xe=Ie,Ze=Le,Qe=0,lt=0,ot=0,st=0;k.bbox={};let ht=!1,pt=!1,mt=!1,xt=!1,wt=!1,_t=!1;function vt(l,e,t){(t||l!=k.width||e!=k.height)&&kt(l,e),An(!1),mt=!0,pt=!0,Jn()}function kt(l,e){k.width=Fe=Ie=l,k.height=Ge=Le=e,Oe=Ne=0,function(){let l=!1,e=!1,t=!1,n=!1;xl.forEach((i=>{if(i.show&&i._show){let{side:o,_size:s}=i,r=s+(null!=i.label?i.labelSize:0);r>0&&(o%2?(Ie-=r,3==o?(Oe+=r,n=!0):t=!0):(Le-=r,0==o?(Ne+=r,l=!0):e=!0))}})),Ct[0]=l,Ct[1]=t,Ct[2]=e,Ct[3]=n,Ie-=Rt[1]+Rt[3],Oe+=Rt[3],Le-=Rt[2]+Rt[0],Ne+=Rt[0]}(),function(){let l=Oe+Ie,e=Ne+Le,t=Oe,n=Ne;function i(i,o){switch(i){case 1:return l+=o,l-o;case 2:return e+=o,e-o;case 3:return t-=o,t+o;case 0:return n-=o,n+o}}xl.forEach((l=>{if(l.show&&l._show){let e=l.side;l._pos=i(e,l._size),null!=l.label&&(l._lpos=i(e,l.labelSize))}}))}();let t=k.bbox;Qe=t.left=zl(Oe*y,.5),lt=t.top=zl(Ne*y,.5),ot=t.width=zl(Ie*y,.5),st=t.height=zl(Le*y,.5)}const yt=3;if(k.setSize=function({width:l,height:e}){vt(l,e)},null==oe.dataIdx){let l=oe.hover,e=l.skip=new Set(l.skip??[]);e.add(void 0);let t=l.prox=bl(l.prox),n=l.bias??=0;oe.dataIdx=(l,i,o,s)=>{if(0==i)return o;let r=o,u=t(l,i,o,s)??gl,a=u>=0&&gl>u,f=0==jl.ori?Ie:Le,c=oe.left,h=g[0],d=g[i];if(e.has(d[o])){r=null;let l,t=null,i=null;if(0==n||-1==n)for(l=o;null==t&&l-- >0;)e.has(d[l])||(t=l);if(0==n||1==n)for(l=o;null==i&&l++<d.length;)e.has(d[l])||(i=l);if(null!=t||null!=i)if(a){let l=c-(null==t?-1/0:$l(h[t],jl,f,0)),e=(null==i?1/0:$l(h[i],jl,f,0))-c;l>e?e>u||(r=i):l>u||(r=t)}else r=null==i?t:null==t||o-t>i-o?i:t}else a&&ol(c-$l(h[o],jl,f,0))>u&&(r=null);return r}}const Mt=l=>{oe.event=l};oe.idxs=te,oe._lock=!1;let St=oe.points;St.show=bl(St.show),St.size=bl(St.size),St.stroke=bl(St.stroke),St.width=bl(St.width),St.fill=bl(St.fill);const Tt=k.focus=Bl({},u.focus||{alpha:.3},oe.focus),Et=Tt.prox>=0,zt=Et&&St.one;let Dt=[],Pt=[],At=[];function Wt(l,e){let t=St.show(k,e);if(t instanceof HTMLElement)return S(t,"u-cursor-pt"),S(t,l.class),A(t,-10,-10,Ie,Le),el.insertBefore(t,Dt[e]),t}function Yt(t,n){if(1==M||n>0){let l=1==M&&vl[t.scale].time,e=t.value;t.value=l?Ll(e)?We(Xl,Ae(e,Zl)):e||ee:e||nt,t.label=t.label||(l?"Time":"Value")}if(zt||n>0){t.width=null==t.width?1:t.width,t.paths=t.paths||Ot||yl,t.fillTo=bl(t.fillTo||gt),t.pxAlign=+Q(t.pxAlign,tl),t.pxRound=bt(t.pxAlign),t.stroke=bl(t.stroke||null),t.fill=bl(t.fill||null),t._stroke=t._fill=t._paths=t._focus=null;let l=function(l){return Al(1*(3+2*(l||1)),3)}(fl(1,t.width)),e=t.points=Bl({},{size:l,width:fl(1,.2*l),stroke:t.stroke,space:2*l,paths:Nt,_stroke:null,_fill:null},t.points);e.show=bl(e.show),e.filter=bl(e.filter),e.fill=bl(e.fill),e.stroke=bl(e.stroke),e.paths=bl(e.paths),e.pxAlign=t.pxAlign}if(se){let i=function(t,n){if(0==n&&(xe||!ie.live||2==M))return Rl;let i=[],o=z("tr","u-series",de,de.childNodes[n]);S(o,t.class),t.show||S(o,l);let s=z("th",null,o);if(ue.show){let l=D("u-marker",s);if(n>0){let e=ue.width(k,n);e&&(l.style.border=e+"px "+ue.dash(k,n)+" "+ue.stroke(k,n)),l.style.background=ue.fill(k,n)}}let r=D(e,s);for(var u in t.label instanceof HTMLElement?r.appendChild(t.label):r.textContent=t.label,n>0&&(ue.show||(r.style.color=t.width>0?ue.stroke(k,n):ue.fill(k,n)),Ce("click",s,(l=>{if(oe._lock)return;Mt(l);let e=pl.indexOf(t);if((l.ctrlKey||l.metaKey)!=ie.isolate){let l=pl.some(((l,t)=>t>0&&t!=e&&l.show));pl.forEach(((t,n)=>{n>0&&oi(n,l?n==e?be:ve:be,!0,Fi.setSeries)}))}else oi(e,{show:!t.show},!0,Fi.setSeries)}),!1),Et&&Ce(d,s,(l=>{oe._lock||(Mt(l),oi(pl.indexOf(t),ai,!0,Fi.setSeries))}),!1)),pe){let l=z("td","u-value",o);l.textContent="--",i.push(l)}return[o,i]}(t,n);me.splice(n,0,i[0]),ge.splice(n,0,i[1]),ie.values.push(null)}if(re){te.splice(n,0,null);let l=null;zt?0==n&&(l=Wt(t,n)):n>0&&(l=Wt(t,n)),Dt.splice(n,0,l),Pt.splice(n,0,0),At.splice(n,0,0)}Ci("addSeries",n)}k.addSeries=function(l,e){e=null==e?pl.length:e,l=1==M?Ut(l,e,Ve,ut):Ut(l,e,{},rt),pl.splice(e,0,l),Yt(pl[e],e)},k.delSeries=function(l){if(pl.splice(l,1),se){ie.values.splice(l,1),ge.splice(l,1);let e=me.splice(l,1)[0];He(null,e.firstChild),e.remove()}re&&(te.splice(l,1),Dt.splice(l,1)[0].remove(),Pt.splice(l,1),At.splice(l,1)),Ci("delSeries",l)};const Ct=[!1,!1,!1,!1];function Ht(l,e,t){let[n,i,o,s]=t,r=e%2,u=0;return 0==r&&(s||i)&&(u=0==e&&!n||2==e&&!o?rl(Ue.size/3):0),1==r&&(n||o)&&(u=1==e&&!i||3==e&&!s?rl(it.size/2):0),u}const Ft=k.padding=(u.padding||[Ht,Ht,Ht,Ht]).map((l=>bl(Q(l,Ht)))),Rt=k._padding=Ft.map(((l,e)=>l(k,e,Ct,0)));let Gt,Lt=null,en=null;const tn=1==M?pl[0].idxs:null;let nn,on,sn,rn,un,an,fn,cn,hn,dn,pn=null,mn=!1;function gn(l,e){if(k.data=k._data=g=null==l?[]:l,2==M){Gt=0;for(let l=1;pl.length>l;l++)Gt+=g[l][0].length}else{0==g.length&&(k.data=k._data=g=[[]]),pn=g[0],Gt=pn.length;let l=g;if(2==Ul){l=g.slice();let e=l[0]=Array(Gt);for(let l=0;Gt>l;l++)e[l]=l}k._data=g=l}if(An(!0),Ci("setData"),2==Ul&&(mt=!0),!1!==e){let l=jl;l.auto(k,mn)?xn():ii(El,l.min,l.max),xt=xt||oe.left>=0,_t=!0,Jn()}}function xn(){let l,e;mn=!0,1==M&&(Gt>0?(Lt=tn[0]=0,en=tn[1]=Gt-1,l=g[0][Lt],e=g[0][en],2==Ul?(l=Lt,e=en):l==e&&(3==Ul?[l,e]=B(l,l,jl.log,!1):4==Ul?[l,e]=$(l,l,jl.log,!1):jl.time?e=l+rl(86400/hl):[l,e]=Z(l,e,J,!0))):(Lt=tn[0]=l=null,en=tn[1]=e=null)),ii(El,l,e)}function wn(l,e,t,n,i,o){l??=a,t??=Fl,n??="butt",i??=a,o??="round",l!=nn&&(K.strokeStyle=nn=l),i!=on&&(K.fillStyle=on=i),e!=sn&&(K.lineWidth=sn=e),o!=un&&(K.lineJoin=un=o),n!=an&&(K.lineCap=an=n),t!=rn&&K.setLineDash(rn=t)}function _n(l,e,t,n){e!=on&&(K.fillStyle=on=e),l!=fn&&(K.font=fn=l),t!=cn&&(K.textAlign=cn=t),n!=hn&&(K.textBaseline=hn=n)}function bn(l,e,t,n,i=0){if(n.length>0&&l.auto(k,mn)&&(null==e||null==e.min)){let e=Q(Lt,0),o=Q(en,n.length-1),s=null==t.min?function(l,e,t,n=0,i=!1){let o=i?V:U,s=i?j:N;[e,t]=o(l,e,t);let r=l[e],u=l[e];if(e>-1)if(1==n)r=l[e],u=l[t];else if(-1==n)r=l[t],u=l[e];else for(let n=e;t>=n;n++){let e=l[n];s(e)&&(r>e?r=e:e>u&&(u=e))}return[r??gl,u??-gl]}(n,e,o,i,3==l.distr):[t.min,t.max];l.min=al(l.min,t.min=s[0]),l.max=fl(l.max,t.max=s[1])}}k.setData=gn;const vn={min:null,max:null};function kn(l,e){let t=e?pl[l].points:pl[l];t._stroke=t.stroke(k,l),t._fill=t.fill(k,l)}function yn(l,e){let t=e?pl[l].points:pl[l],{stroke:n,fill:i,clip:o,flags:s,_stroke:r=t._stroke,_fill:u=t._fill,_width:a=t.width}=t._paths;a=Al(a*y,3);let f=null,c=a%2/2;e&&null==u&&(u=a>0?"#fff":r);let h=1==t.pxAlign&&c>0;if(h&&K.translate(c,c),!e){let l=Qe-a/2,e=lt-a/2,t=ot+a,n=st+a;f=new Path2D,f.rect(l,e,t,n)}e?Sn(r,a,t.dash,t.cap,u,n,i,s,o):function(l,e,t,n,i,o,s,r,u,a,f){let c=!1;0!=u&&Tl.forEach(((h,d)=>{if(h.series[0]==l){let l,p=pl[h.series[1]],m=g[h.series[1]],x=(p._paths||Hl).band;Gl(x)&&(x=1==h.dir?x[0]:x[1]);let w=null;p.show&&x&&function(l,e,t){for(e=Q(e,0),t=Q(t,l.length-1);t>=e;){if(null!=l[e])return!0;e++}return!1}(m,Lt,en)?(w=h.fill(k,d)||o,l=p._paths.clip):x=null,Sn(e,t,n,i,w,s,r,u,a,f,l,x),c=!0}})),c||Sn(e,t,n,i,o,s,r,u,a,f)}(l,r,a,t.dash,t.cap,u,n,i,s,f,o),h&&K.translate(-c,-c)}const Mn=3;function Sn(l,e,t,n,i,o,s,r,u,a,f,c){wn(l,e,t,n,i),(u||a||c)&&(K.save(),u&&K.clip(u),a&&K.clip(a)),c?(r&Mn)==Mn?(K.clip(c),f&&K.clip(f),En(i,s),Tn(l,o,e)):2&r?(En(i,s),K.clip(c),Tn(l,o,e)):1&r&&(K.save(),K.clip(c),f&&K.clip(f),En(i,s),K.restore(),Tn(l,o,e)):(En(i,s),Tn(l,o,e)),(u||a||c)&&K.restore()}function Tn(l,e,t){t>0&&(e instanceof Map?e.forEach(((l,e)=>{K.strokeStyle=nn=e,K.stroke(l)})):null!=e&&l&&K.stroke(e))}function En(l,e){e instanceof Map?e.forEach(((l,e)=>{K.fillStyle=on=e,K.fill(l)})):null!=e&&l&&K.fill(e)}function zn(l,e,t,n,i,o,s,r,u,a){let f=s%2/2;1==tl&&K.translate(f,f),wn(r,s,u,a,r),K.beginPath();let c,h,d,p,m=i+(0==n||3==n?-o:o);0==t?(h=i,p=m):(c=i,d=m);for(let n=0;l.length>n;n++)null!=e[n]&&(0==t?c=d=l[n]:h=p=l[n],K.moveTo(c,h),K.lineTo(d,p));K.stroke(),1==tl&&K.translate(-f,-f)}function Dn(l){let e=!0;return xl.forEach(((t,n)=>{if(!t.show)return;let i=vl[t.scale];if(null==i.min)return void(t._show&&(e=!1,t._show=!1,An(!1)));t._show||(e=!1,t._show=!0,An(!1));let o=t.side,s=o%2,{min:r,max:u}=i,[a,f]=function(l,e,t,n){let i,o=xl[l];if(n>0){let s=o._space=o.space(k,l,e,t,n);i=Zt(e,t,o._incrs=o.incrs(k,l,e,t,n,s),n,s)}else i=[0,0];return o._found=i}(n,r,u,0==s?Ie:Le);if(0==f)return;let c=t._splits=t.splits(k,n,r,u,a,f,2==i.distr),h=2==i.distr?c.map((l=>pn[l])):c,d=2==i.distr?pn[c[1]]-pn[c[0]]:a,p=t._values=t.values(k,t.filter(k,h,n,f,d),n,f,d);t._rotate=2==o?t.rotate(k,p,n,f):0;let m=t._size;t._size=ul(t.size(k,p,n,l)),null!=m&&t._size!=m&&(e=!1)})),e}function Pn(l){let e=!0;return Ft.forEach(((t,n)=>{let i=t(k,n,Ct,l);i!=Rt[n]&&(e=!1),Rt[n]=i})),e}function An(l){pl.forEach(((e,t)=>{t>0&&(e._paths=null,l&&(1==M?(e.min=null,e.max=null):e.facets.forEach((l=>{l.min=null,l.max=null}))))}))}let Wn,Yn,Cn,Hn,Fn,Rn,Gn,In,Ln,On,Nn,jn,Un=!1,Vn=!1,Bn=[];function $n(){Vn=!1;for(let l=0;Bn.length>l;l++)Ci(...Bn[l]);Bn.length=0}function Jn(){Un||(Jl(qn),Un=!0)}function qn(){if(ht&&(function(){for(let l in vl){let e=vl[l];null==Kl[l]&&(null==e.min||null!=Kl[El]&&e.auto(k,mn))&&(Kl[l]=vn)}for(let l in vl){let e=vl[l];null==Kl[l]&&null!=e.from&&null!=Kl[e.from]&&(Kl[l]=vn)}null!=Kl[El]&&An(!0);let l={};for(let e in Kl){let t=Kl[e];if(null!=t){let n=l[e]=Vl(vl[e],Nl);if(null!=t.min)Bl(n,t);else if(e!=El||2==M)if(0==Gt&&null==n.from){let l=n.range(k,null,null,e);n.min=l[0],n.max=l[1]}else n.min=gl,n.max=-gl}}if(Gt>0){pl.forEach(((e,t)=>{if(1==M){let n=e.scale,i=Kl[n];if(null==i)return;let o=l[n];if(0==t){let l=o.range(k,o.min,o.max,n);o.min=l[0],o.max=l[1],Lt=L(o.min,g[0]),en=L(o.max,g[0]),en-Lt>1&&(o.min>g[0][Lt]&&Lt++,g[0][en]>o.max&&en--),e.min=pn[Lt],e.max=pn[en]}else e.show&&e.auto&&bn(o,i,e,g[t],e.sorted);e.idxs[0]=Lt,e.idxs[1]=en}else if(t>0&&e.show&&e.auto){let[n,i]=e.facets,o=n.scale,s=i.scale,[r,u]=g[t],a=l[o],f=l[s];null!=a&&bn(a,Kl[o],n,r,n.sorted),null!=f&&bn(f,Kl[s],i,u,i.sorted),e.min=i.min,e.max=i.max}}));for(let e in l){let t=l[e],n=Kl[e];if(null==t.from&&(null==n||null==n.min)){let l=t.range(k,t.min==gl?null:t.min,t.max==-gl?null:t.max,e);t.min=l[0],t.max=l[1]}}}for(let e in l){let t=l[e];if(null!=t.from){let n=l[t.from];if(null==n.min)t.min=t.max=null;else{let l=t.range(k,n.min,n.max,e);t.min=l[0],t.max=l[1]}}}let e={},t=!1;for(let n in l){let i=l[n],o=vl[n];if(o.min!=i.min||o.max!=i.max){o.min=i.min,o.max=i.max;let l=o.distr;o._min=3==l?dl(o.min):4==l?ml(o.min,o.asinh):100==l?o.fwd(o.min):o.min,o._max=3==l?dl(o.max):4==l?ml(o.max,o.asinh):100==l?o.fwd(o.max):o.max,e[n]=t=!0}}if(t){pl.forEach(((l,t)=>{2==M?t>0&&e.y&&(l._paths=null):e[l.scale]&&(l._paths=null)}));for(let l in e)mt=!0,Ci("setScale",l);re&&oe.left>=0&&(xt=_t=!0)}for(let l in Kl)Kl[l]=null}(),ht=!1),mt&&(function(){let l=!1,e=0;for(;!l;){e++;let t=Dn(e),n=Pn(e);l=e==yt||t&&n,l||(kt(k.width,k.height),pt=!0)}}(),mt=!1),pt){if(E(ll,s,Oe),E(ll,i,Ne),E(ll,t,Ie),E(ll,n,Le),E(el,s,Oe),E(el,i,Ne),E(el,t,Ie),E(el,n,Le),E(X,t,Fe),E(X,n,Ge),O.width=rl(Fe*y),O.height=rl(Ge*y),xl.forEach((({_el:e,_show:t,_size:n,_pos:i,side:o})=>{if(null!=e)if(t){let t=o%2==1;E(e,t?"left":"top",i-(3===o||0===o?n:0)),E(e,t?"width":"height",n),E(e,t?"top":"left",t?Ne:Oe),E(e,t?"height":"width",t?Le:Ie),T(e,l)}else S(e,l)})),nn=on=sn=un=an=fn=cn=hn=rn=null,dn=1,_i(!0),Oe!=je||Ne!=Ke||Ie!=Xe||Le!=Ze){An(!1);let l=Ie/Xe,e=Le/Ze;if(re&&!xt&&oe.left>=0){oe.left*=l,oe.top*=e,Cn&&A(Cn,rl(oe.left),0,Ie,Le),Hn&&A(Hn,0,rl(oe.top),Ie,Le);for(let t=0;Dt.length>t;t++){let n=Dt[t];null!=n&&(Pt[t]*=l,At[t]*=e,A(n,ul(Pt[t]),ul(At[t]),Ie,Le))}}if(ei.show&&!wt&&ei.left>=0&&ei.width>0){ei.left*=l,ei.width*=l,ei.top*=e,ei.height*=e;for(let l in ki)E(ti,l,ei[l])}je=Oe,Ke=Ne,Xe=Ie,Ze=Le}Ci("setSize"),pt=!1}Fe>0&&Ge>0&&(K.clearRect(0,0,O.width,O.height),Ci("drawClear"),Pl.forEach((l=>l())),Ci("draw")),ei.show&&wt&&(ni(ei),wt=!1),re&&xt&&(xi(null,!0,!1),xt=!1),ie.show&&ie.live&&_t&&(mi(),_t=!1),F||(F=!0,k.status=1,Ci("ready")),mn=!1,Un=!1}function Kn(l,e){let t=vl[l];if(null==t.from){if(0==Gt){let n=t.range(k,e.min,e.max,l);e.min=n[0],e.max=n[1]}if(e.min>e.max){let l=e.min;e.min=e.max,e.max=l}if(Gt>1&&null!=e.min&&null!=e.max&&1e-16>e.max-e.min)return;l==El&&2==t.distr&&Gt>0&&(e.min=L(e.min,g[0]),e.max=L(e.max,g[0]),e.min==e.max&&e.max++),Kl[l]=e,ht=!0,Jn()}}k.batch=function(l,e=!1){Un=!0,Vn=e,l(k),qn(),e&&Bn.length>0&&queueMicrotask($n)},k.redraw=(l,e)=>{mt=e||!1,!1!==l?ii(El,jl.min,jl.max):Jn()},k.setScale=Kn;let Xn=!1;const Zn=oe.drag;let Qn=Zn.x,li=Zn.y;re&&(oe.x&&(Wn=D("u-cursor-x",el)),oe.y&&(Yn=D("u-cursor-y",el)),0==jl.ori?(Cn=Wn,Hn=Yn):(Cn=Yn,Hn=Wn),Nn=oe.left,jn=oe.top);const ei=k.select=Bl({show:!0,over:!0,left:0,width:0,top:0,height:0},u.select),ti=ei.show?D("u-select",ei.over?el:ll):null;function ni(l,e){if(ei.show){for(let e in l)ei[e]=l[e],e in ki&&E(ti,e,l[e]);!1!==e&&Ci("setSelect")}}function ii(l,e,t){Kn(l,{min:e,max:t})}function oi(e,t,n,i){null!=t.focus&&function(l){if(l!=ui){let e=null==l,t=1!=Tt.alpha;pl.forEach(((n,i)=>{if(1==M||i>0){let o=e||0==i||i==l;n._focus=e?null:o,t&&function(l,e){pl[l].alpha=e,re&&null!=Dt[l]&&(Dt[l].style.opacity=e),se&&me[l]&&(me[l].style.opacity=e)}(i,o?1:Tt.alpha)}})),ui=l,t&&Jn()}}(e),null!=t.show&&pl.forEach(((n,i)=>{0>=i||e!=i&&null!=e||(n.show=t.show,function(e){if(pl[e].show)se&&T(me[e],l);else if(se&&S(me[e],l),re){let l=zt?Dt[0]:Dt[e];null!=l&&A(l,-10,-10,Ie,Le)}}(i),2==M?(ii(n.facets[0].scale,null,null),ii(n.facets[1].scale,null,null)):ii(n.scale,null,null),Jn())})),!1!==n&&Ci("setSeries",e,t),i&&Ii("setSeries",k,e,t)}let si,ri,ui;k.setSelect=ni,k.setSeries=oi,k.addBand=function(l,e){l.fill=bl(l.fill||null),l.dir=Q(l.dir,-1),Tl.splice(e=null==e?Tl.length:e,0,l)},k.setBand=function(l,e){Bl(Tl[l],e)},k.delBand=function(l){null==l?Tl.length=0:Tl.splice(l,1)};const ai={focus:!0};function fi(l,e,t){let n=vl[e];t&&(l=l/y-(1==n.ori?Ne:Oe));let i=Ie;1==n.ori&&(i=Le,l=i-l),-1==n.dir&&(l=i-l);let o=n._min,s=o+l/i*(n._max-o),r=n.distr;return 3==r?cl(10,s):4==r?((l,e=1)=>nl.sinh(l)*e)(s,n.asinh):100==r?n.bwd(s):s}function ci(l,e){E(ti,s,ei.left=l),E(ti,t,ei.width=e)}function hi(l,e){E(ti,i,ei.top=l),E(ti,n,ei.height=e)}se&&Et&&Ce(p,ce,(l=>{oe._lock||(Mt(l),null!=ui&&oi(null,ai,!0,Fi.setSeries))})),k.valToIdx=l=>L(l,g[0]),k.posToIdx=function(l,e){return L(fi(l,El,e),g[0],Lt,en)},k.posToVal=fi,k.valToPos=(l,e,t)=>0==vl[e].ori?P(l,vl[e],t?ot:Ie,t?Qe:0):W(l,vl[e],t?st:Le,t?lt:0),k.setCursor=(l,e,t)=>{Nn=l.left,jn=l.top,xi(null,e,t)};let di=0==jl.ori?ci:hi,pi=1==jl.ori?ci:hi;function mi(l,e){if(null!=l&&(l.idxs?l.idxs.forEach(((l,e)=>{te[e]=l})):(l=>void 0===l)(l.idx)||te.fill(l.idx),ie.idx=te[0]),se&&ie.live){for(let l=0;pl.length>l;l++)(l>0||1==M&&!xe)&&gi(l,te[l]);!function(){if(se&&ie.live)for(let l=2==M?1:0;pl.length>l;l++){if(0==l&&xe)continue;let e=ie.values[l],t=0;for(let n in e)ge[l][t++].firstChild.nodeValue=e[n]}}()}_t=!1,!1!==e&&Ci("setLegend")}function gi(l,e){let t,n=pl[l],i=0==l&&2==Ul?pn:g[l];xe?t=n.values(k,l,e)??we:(t=n.value(k,null==e?null:i[e],l,e),t=null==t?we:{_:t}),ie.values[l]=t}function xi(l,e,t){let n;Ln=Nn,On=jn,[Nn,jn]=oe.move(k,Nn,jn),oe.left=Nn,oe.top=jn,re&&(Cn&&A(Cn,rl(Nn),0,Ie,Le),Hn&&A(Hn,0,rl(jn),Ie,Le)),si=gl,ri=null;let i=0==jl.ori?Ie:Le,o=1==jl.ori?Ie:Le;if(0>Nn||0==Gt||Lt>en){n=oe.idx=null;for(let l=0;pl.length>l;l++){let e=Dt[l];null!=e&&A(e,-10,-10,Ie,Le)}Et&&oi(null,ai,!0,null==l&&Fi.setSeries),ie.live&&(te.fill(n),_t=!0)}else{let l,e,t;1==M&&(l=0==jl.ori?Nn:jn,e=fi(l,El),n=oe.idx=L(e,g[0],Lt,en),t=$l(g[0][n],jl,i,0));let s=-10,r=-10,u=0,a=0,f=!0,c="",h="";for(let l=2==M?1:0;pl.length>l;l++){let d=pl[l],p=te[l],m=null==p?null:1==M?g[l][p]:g[l][1][p],x=oe.dataIdx(k,l,n,e),w=null==x?null:1==M?g[l][x]:g[l][1][x];if(_t=_t||w!=m||x!=p,te[l]=x,l>0&&d.show){let e=null==x?-10:x==n?t:$l(1==M?g[0][x]:g[l][0][x],jl,i,0),p=null==w?-10:ql(w,1==M?vl[d.scale]:vl[d.facets[1].scale],o,0);if(Et&&null!=w){let e=1==jl.ori?Nn:jn,t=ol(Tt.dist(k,l,x,p,e));if(si>t){let n=Tt.bias;if(0!=n){let i=fi(e,d.scale),o=0>i?-1:1;o!=(0>w?-1:1)||(1==o?1==n?i>w:w>i:1==n?w>i:i>w)||(si=t,ri=l)}else si=t,ri=l}}if(_t||zt){let t,n;0==jl.ori?(t=e,n=p):(t=p,n=e);let i,o,d,m,g,x,w=!0,_=St.bbox;if(null!=_){w=!1;let e=_(k,l);d=e.left,m=e.top,i=e.width,o=e.height}else d=t,m=n,i=o=St.size(k,l);if(x=St.fill(k,l),g=St.stroke(k,l),zt)l!=ri||si>Tt.prox||(s=d,r=m,u=i,a=o,f=w,c=x,h=g);else{let e=Dt[l];null!=e&&(Pt[l]=d,At[l]=m,H(e,i,o,w),Y(e,x,g),A(e,ul(d),ul(m),Ie,Le))}}}}if(zt){let l=Tt.prox;if(_t||(null==ui?l>=si:si>l||ri!=ui)){let l=Dt[0];null!=l&&(Pt[0]=s,At[0]=r,H(l,u,a,f),Y(l,c,h),A(l,ul(s),ul(r),Ie,Le))}}}if(ei.show&&Xn)if(null!=l){let[e,t]=Fi.scales,[n,s]=Fi.match,[r,u]=l.cursor.sync.scales,a=l.cursor.drag;if(Qn=a._x,li=a._y,Qn||li){let a,f,c,h,d,{left:p,top:m,width:g,height:x}=l.select,w=l.scales[r].ori,_=l.posToVal,b=null!=e&&n(e,r),v=null!=t&&s(t,u);b&&Qn?(0==w?(a=p,f=g):(a=m,f=x),c=vl[e],h=$l(_(a,r),c,i,0),d=$l(_(a+f,r),c,i,0),di(al(h,d),ol(d-h))):di(0,i),v&&li?(1==w?(a=p,f=g):(a=m,f=x),c=vl[t],h=ql(_(a,u),c,o,0),d=ql(_(a+f,u),c,o,0),pi(al(h,d),ol(d-h))):pi(0,o)}else yi()}else{let l=ol(Ln-Fn),e=ol(On-Rn);if(1==jl.ori){let t=l;l=e,e=t}Qn=Zn.x&&l>=Zn.dist,li=Zn.y&&e>=Zn.dist;let t,n,s=Zn.uni;null!=s?Qn&&li&&(Qn=l>=s,li=e>=s,Qn||li||(e>l?li=!0:Qn=!0)):Zn.x&&Zn.y&&(Qn||li)&&(Qn=li=!0),Qn&&(0==jl.ori?(t=Gn,n=Nn):(t=In,n=jn),di(al(t,n),ol(n-t)),li||pi(0,o)),li&&(1==jl.ori?(t=Gn,n=Nn):(t=In,n=jn),pi(al(t,n),ol(n-t)),Qn||di(0,i)),Qn||li||(di(0,0),pi(0,0))}if(Zn._x=Qn,Zn._y=li,null==l){if(t){if(null!=Ri){let[l,e]=Fi.scales;Fi.values[0]=null!=l?fi(0==jl.ori?Nn:jn,l):null,Fi.values[1]=null!=e?fi(1==jl.ori?Nn:jn,e):null}Ii(f,k,Nn,jn,Ie,Le,n)}if(Et){let l=t&&Fi.setSeries,e=Tt.prox;null==ui?si>e||oi(ri,ai,!0,l):si>e?oi(null,ai,!0,l):ri!=ui&&oi(ri,ai,!0,l)}}_t&&(ie.idx=n,mi()),!1!==e&&Ci("setCursor")}k.setLegend=mi;let wi=null;function _i(l=!1){l?wi=null:(wi=el.getBoundingClientRect(),Ci("syncRect",wi))}function bi(l,e,t,n,i,o){oe._lock||Xn&&null!=l&&0==l.movementX&&0==l.movementY||(vi(l,e,t,n,i,o,0,!1,null!=l),null!=l?xi(null,!0,!0):xi(e,!0,!1))}function vi(l,e,t,n,i,o,s,r,u){if(null==wi&&_i(!1),Mt(l),null!=l)t=l.clientX-wi.left,n=l.clientY-wi.top;else{if(0>t||0>n)return Nn=-10,void(jn=-10);let[l,s]=Fi.scales,r=e.cursor.sync,[u,a]=r.values,[f,c]=r.scales,[h,d]=Fi.match,p=e.axes[0].side%2==1,m=0==jl.ori?Ie:Le,g=1==jl.ori?Ie:Le,x=p?o:i,w=p?i:o,_=p?n:t,b=p?t:n;if(t=null!=f?h(l,f)?C(u,vl[l],m,0):-10:m*(_/x),n=null!=c?d(s,c)?C(a,vl[s],g,0):-10:g*(b/w),1==jl.ori){let l=t;t=n,n=l}}!u||null!=e&&e.cursor.event.type!=f||(t>1&&Ie-1>t||(t=zl(t,Ie)),n>1&&Le-1>n||(n=zl(n,Le))),r?(Fn=t,Rn=n,[Gn,In]=oe.move(k,t,n)):(Nn=t,jn=n)}Object.defineProperty(k,"rect",{get:()=>(null==wi&&_i(!1),wi)});const ki={width:0,height:0,left:0,top:0};function yi(){ni(ki,!1)}let Mi,Si,Ti,Ei;function zi(l,e,t,n,i,o){Xn=!0,Qn=li=Zn._x=Zn._y=!1,vi(l,e,t,n,i,o,0,!0,!1),null!=l&&(Ce(h,b,Di,!1),Ii(c,k,Gn,In,Ie,Le,null));let{left:s,top:r,width:u,height:a}=ei;Mi=s,Si=r,Ti=u,Ei=a}function Di(l,e,t,n,i,o){Xn=Zn._x=Zn._y=!1,vi(l,e,t,n,i,o,0,!1,!0);let{left:s,top:r,width:u,height:a}=ei,f=u>0||a>0,c=Mi!=s||Si!=r||Ti!=u||Ei!=a;if(f&&c&&ni(ei),Zn.setScale&&f&&c){let l=s,e=u,t=r,n=a;if(1==jl.ori&&(l=r,e=a,t=s,n=u),Qn&&ii(El,fi(l,El),fi(l+e,El)),li)for(let l in vl){let e=vl[l];l!=El&&null==e.from&&e.min!=gl&&ii(l,fi(t+n,l),fi(t,l))}yi()}else oe.lock&&(oe._lock=!oe._lock,xi(e,!0,null!=l));null!=l&&(He(h,b),Ii(h,k,Nn,jn,Ie,Le,null))}function Pi(l){oe._lock||(Mt(l),xn(),yi(),null!=l&&Ii(m,k,Nn,jn,Ie,Le,null))}function Ai(){xl.forEach(ln),vt(k.width,k.height,!0)}G(x,v,Ai);const Wi={};Wi.mousedown=zi,Wi.mousemove=bi,Wi.mouseup=Di,Wi.dblclick=Pi,Wi.setSeries=(l,e,t,n)=>{-1!=(t=(0,Fi.match[2])(k,e,t))&&oi(t,n,!0,!1)},re&&(Ce(c,el,zi),Ce(f,el,bi),Ce(d,el,(l=>{Mt(l),_i(!1)})),Ce(p,el,(function(l){if(oe._lock)return;Mt(l);let e=Xn;if(Xn){let l,e,t=!0,n=!0,i=10;0==jl.ori?(l=Qn,e=li):(l=li,e=Qn),l&&e&&(t=i>=Nn||Nn>=Ie-i,n=i>=jn||jn>=Le-i),l&&t&&(Nn=Gn>Nn?0:Ie),e&&n&&(jn=In>jn?0:Le),xi(null,!0,!0),Xn=!1}Nn=-10,jn=-10,te.fill(null),xi(null,!0,!0),e&&(Xn=e)})),Ce(m,el,Pi),It.add(k),k.syncRect=_i);const Yi=k.hooks=u.hooks||{};function Ci(l,e,t){Vn?Bn.push([l,e,t]):l in Yi&&Yi[l].forEach((l=>{l.call(null,k,e,t)}))}(u.plugins||[]).forEach((l=>{for(let e in l.hooks)Yi[e]=(Yi[e]||[]).concat(l.hooks[e])}));const Hi=(l,e,t)=>t,Fi=Bl({key:null,setSeries:!1,filters:{pub:Ml,sub:Ml},scales:[El,pl[1]?pl[1].scale:null],match:[Sl,Sl,Hi],values:[null,null]},oe.sync);2==Fi.match.length&&Fi.match.push(Hi),oe.sync=Fi;const Ri=Fi.key,Gi=dt(Ri);function Ii(l,e,t,n,i,o,s){Fi.filters.pub(l,e,t,n,i,o,s)&&Gi.pub(l,e,t,n,i,o,s)}function Li(){Ci("init",u,g),gn(g||u.data,!1),Kl[El]?Kn(El,Kl[El]):xn(),wt=ei.show&&(ei.width>0||ei.height>0),xt=_t=!0,vt(u.width,u.height)}return Gi.sub(k),k.pub=function(l,e,t,n,i,o,s){Fi.filters.sub(l,e,t,n,i,o,s)&&Wi[l](null,e,t,n,i,o,s)},k.destroy=function(){Gi.unsub(k),It.delete(k),Pe.clear(),I(x,v,Ai),R.remove(),ce?.remove(),Ci("destroy")},pl.forEach(Yt),xl.forEach((function(l,e){if(l._show=l.show,l.show){let t=vl[l.scale];null==t&&(l.scale=l.side%2?pl[1].scale:El,t=vl[l.scale]);let n=t.time;l.size=bl(l.size),l.space=bl(l.space),l.rotate=bl(l.rotate),Gl(l.incrs)&&l.incrs.forEach((l=>{!Wl.has(l)&&Wl.set(l,Yl(l))})),l.incrs=bl(l.incrs||(2==t.distr?ae:n?1==hl?ke:Se:fe)),l.splits=bl(l.splits||(n&&1==t.distr?Ql:3==t.distr?Je:4==t.distr?qe:$e)),l.stroke=bl(l.stroke),l.grid.stroke=bl(l.grid.stroke),l.ticks.stroke=bl(l.ticks.stroke),l.border.stroke=bl(l.border.stroke);let i=l.values;l.values=Gl(i)&&!Gl(i[0])?bl(i):n?Gl(i)?De(Xl,ze(i,Zl)):Ll(i)?function(l,e){let t=ne(e);return(e,n)=>n.map((e=>t(l(e))))}(Xl,i):i||le:i||Be,l.filter=bl(l.filter||(3>t.distr||10!=t.log?3==t.distr&&2==t.log?tt:kl:et)),l.font=Qt(l.font),l.labelFont=Qt(l.labelFont),l._size=l.size(k,null,e,0),l._space=l._rotate=l._incrs=l._found=l._splits=l._values=null,l._size>0&&(Ct[e]=!0,l._el=D("u-axis",X))}})),_?_ instanceof HTMLElement?(_.appendChild(R),Li()):_(k,Li):Li(),k}en.assign=Bl,en.fmtNum=tl,en.rangeNum=Z,en.rangeLog=B,en.rangeAsinh=$,en.orient=pt,en.pxRatio=y,en.join=function(l,e){if(function(l){let e=l[0][0],t=e.length;for(let n=1;l.length>n;n++){let i=l[n][0];if(i.length!=t)return!1;if(i!=e)for(let l=0;t>l;l++)if(i[l]!=e[l])return!1}return!0}(l)){let e=l[0].slice();for(let t=1;l.length>t;t++)e.push(...l[t].slice(1));return function(l,e=100){const t=l.length;if(1>=t)return!0;let n=0,i=t-1;for(;i>=n&&null==l[n];)n++;for(;i>=n&&null==l[i];)i--;if(n>=i)return!0;const o=fl(1,sl((i-n+1)/e));for(let e=l[n],t=n+o;i>=t;t+=o){const n=l[t];if(null!=n){if(e>=n)return!1;e=n}}return!0}(e[0])||(e=function(l){let e=l[0],t=e.length,n=Array(t);for(let l=0;n.length>l;l++)n[l]=l;n.sort(((l,t)=>e[l]-e[t]));let i=[];for(let e=0;l.length>e;e++){let o=l[e],s=Array(t);for(let l=0;t>l;l++)s[l]=o[n[l]];i.push(s)}return i}(e)),e}let t=new Set;for(let e=0;l.length>e;e++){let n=l[e][0],i=n.length;for(let l=0;i>l;l++)t.add(n[l])}let n=[Array.from(t).sort(((l,e)=>l-e))],i=n[0].length,o=new Map;for(let l=0;i>l;l++)o.set(n[0][l],l);for(let t=0;l.length>t;t++){let s=l[t],r=s[0];for(let l=1;s.length>l;l++){let u=s[l],a=Array(i).fill(void 0),f=e?e[t][l]:1,c=[];for(let l=0;u.length>l;l++){let e=u[l],t=o.get(r[l]);null===e?0!=f&&(a[t]=e,2==f&&c.push(t)):a[t]=e}$l(a,c,i),n.push(a)}}return n},en.fmtDate=ne,en.tzDate=function(l,e){let t;return"UTC"==e||"Etc/UTC"==e?t=new Date(+l+6e4*l.getTimezoneOffset()):e==ie?t=l:(t=new Date(l.toLocaleString("en-US",{timeZone:e})),t.setMilliseconds(l.getMilliseconds())),t},en.sync=dt;{en.addGap=function(l,e,t){let n=l[l.length-1];n&&n[0]==e?n[1]=t:l.push([e,t])},en.clipGaps=wt;let l=en.paths={points:Wt};l.linear=Ft,l.stepped=function(l){const e=Q(l.align,1),t=Q(l.ascDesc,!1),n=Q(l.alignGaps,0),i=Q(l.extend,!1);return(l,o,s,r)=>pt(l,o,((u,a,f,c,h,d,p,m,g,x,w)=>{[s,r]=U(f,s,r);let _=u.pxRound,{left:b,width:v}=l.bbox,k=l=>_(d(l,c,x,m)),M=l=>_(p(l,h,w,g)),S=0==c.ori?Mt:St;const T={stroke:new Path2D,fill:null,clip:null,band:null,gaps:null,flags:1},E=T.stroke,z=c.dir*(0==c.ori?1:-1);let D=M(f[1==z?s:r]),P=k(a[1==z?s:r]),A=P,W=P;i&&-1==e&&(W=b,S(E,W,D)),S(E,P,D);for(let l=1==z?s:r;l>=s&&r>=l;l+=z){let t=f[l];if(null==t)continue;let n=k(a[l]),i=M(t);1==e?S(E,n,D):S(E,A,i),S(E,n,i),D=i,A=n}let Y=A;i&&1==e&&(Y=b+v,S(E,Y,D));let[C,H]=mt(l,o);if(null!=u.fill||0!=C){let e=T.fill=new Path2D(E),t=M(u.fillTo(l,o,u.min,u.max,C));S(e,Y,t),S(e,W,t)}if(!u.spanGaps){let i=[];i.push(..._t(a,f,s,r,z,k,n));let h=u.width*y/2,d=t||1==e?h:-h,p=t||-1==e?-h:h;i.forEach((l=>{l[0]+=d,l[1]+=p})),T.gaps=i=u.gaps(l,o,s,r,i),T.clip=wt(i,c.ori,m,g,x,w)}return 0!=H&&(T.band=2==H?[xt(l,o,s,r,E,-1),xt(l,o,s,r,E,1)]:xt(l,o,s,r,E,H)),T}))},l.bars=function(l){const e=Q((l=l||Hl).size,[.6,gl,1]),t=l.align||0,n=l.gap||0;let i=l.radius;i=null==i?[0,0]:"number"==typeof i?[i,0]:i;const o=bl(i),s=1-e[0],r=Q(e[1],gl),u=Q(e[2],1),a=Q(l.disp,Hl),f=Q(l.each,(()=>{})),{fill:c,stroke:h}=a;return(l,e,i,d)=>pt(l,e,((p,m,g,x,w,_,b,v,k,M,S)=>{let T,E,z=p.pxRound,D=t,P=n*y,A=r*y,W=u*y;0==x.ori?[T,E]=o(l,e):[E,T]=o(l,e);const Y=x.dir*(0==x.ori?1:-1);let C,H,F,R=0==x.ori?Tt:Et,G=0==x.ori?f:(l,e,t,n,i,o,s)=>{f(l,e,t,i,n,s,o)},I=Q(l.bands,Fl).find((l=>l.series[0]==e)),L=p.fillTo(l,e,p.min,p.max,null!=I?I.dir:0),O=z(b(L,w,S,k)),N=M,j=z(p.width*y),U=!1,V=null,B=null,$=null,J=null;null==c||0!=j&&null==h||(U=!0,V=c.values(l,e,i,d),B=new Map,new Set(V).forEach((l=>{null!=l&&B.set(l,new Path2D)})),j>0&&($=h.values(l,e,i,d),J=new Map,new Set($).forEach((l=>{null!=l&&J.set(l,new Path2D)}))));let{x0:q,size:K}=a;if(null!=q&&null!=K){D=1,m=q.values(l,e,i,d),2==q.unit&&(m=m.map((e=>l.posToVal(v+e*M,x.key,!0))));let t=K.values(l,e,i,d);H=2==K.unit?t[0]*M:_(t[0],x,M,v)-_(0,x,M,v),N=Rt(m,g,_,x,M,v,N),F=N-H+P}else N=Rt(m,g,_,x,M,v,N),F=N*s+P,H=N-F;1>F&&(F=0),H/2>j||(j=0),5>F&&(z=vl);let X=F>0;H=z(wl(N-F-(X?j:0),W,A)),C=(0==D?H/2:D==Y?0:H)-D*Y*((0==D?P/2:0)+(X?j/2:0));const Z={stroke:null,fill:null,clip:null,band:null,gaps:null,flags:0},ll=U?null:new Path2D;let el=null;if(null!=I)el=l.data[I.series[1]];else{let{y0:t,y1:n}=a;null!=t&&null!=n&&(g=n.values(l,e,i,d),el=t.values(l,e,i,d))}let tl=T*H,nl=E*H;for(let t=1==Y?i:d;t>=i&&d>=t;t+=Y){let n=g[t];if(null==n)continue;if(null!=el){let l=el[t]??0;if(n-l==0)continue;O=b(l,w,S,k)}let i=_(2!=x.distr||null!=a?m[t]:t,x,M,v),o=b(Q(n,L),w,S,k),s=z(i-C),r=z(fl(o,O)),u=z(al(o,O)),f=r-u;if(null!=n){let i=0>n?nl:tl,o=0>n?tl:nl;U?(j>0&&null!=$[t]&&R(J.get($[t]),s,u+sl(j/2),H,fl(0,f-j),i,o),null!=V[t]&&R(B.get(V[t]),s,u+sl(j/2),H,fl(0,f-j),i,o)):R(ll,s,u+sl(j/2),H,fl(0,f-j),i,o),G(l,e,t,s-j/2,u,H+j,f)}}return j>0?Z.stroke=U?J:ll:U||(Z._fill=0==p.width?p._fill:p._stroke??p._fill,Z.width=0),Z.fill=U?B:ll,Z}))},l.spline=function(l){return function(l,e){const t=Q(e?.alignGaps,0);return(e,n,i,o)=>pt(e,n,((s,r,u,a,f,c,h,d,p,m,g)=>{[i,o]=U(u,i,o);let x,w,_,b=s.pxRound,v=l=>b(c(l,a,m,d)),k=l=>b(h(l,f,g,p));0==a.ori?(x=kt,_=Mt,w=Pt):(x=yt,_=St,w=At);const y=a.dir*(0==a.ori?1:-1);let M=v(r[1==y?i:o]),S=M,T=[],E=[];for(let l=1==y?i:o;l>=i&&o>=l;l+=y)if(null!=u[l]){let e=v(r[l]);T.push(S=e),E.push(k(u[l]))}const z={stroke:l(T,E,x,_,w,b),fill:null,clip:null,band:null,gaps:null,flags:1},D=z.stroke;let[P,A]=mt(e,n);if(null!=s.fill||0!=P){let l=z.fill=new Path2D(D),t=k(s.fillTo(e,n,s.min,s.max,P));_(l,S,t),_(l,M,t)}if(!s.spanGaps){let l=[];l.push(..._t(r,u,i,o,y,v,t)),z.gaps=l=s.gaps(e,n,i,o,l),z.clip=wt(l,a.ori,d,p,m,g)}return 0!=A&&(z.band=2==A?[xt(e,n,i,o,D,-1),xt(e,n,i,o,D,1)]:xt(e,n,i,o,D,A)),z}))}(Gt,l)}}return en}();

return uPlot; })();
vendor.modules = (() => {
var modules=(()=>{var xe=Object.defineProperty;var Ht=Object.getOwnPropertyDescriptor;var Dt=Object.getOwnPropertyNames;var Ft=Object.prototype.hasOwnProperty;var X=(t,e)=>{for(var n in e)xe(t,n,{get:e[n],enumerable:!0})},Wt=(t,e,n,i)=>{if(e&&typeof e=="object"||typeof e=="function")for(let o of Dt(e))!Ft.call(t,o)&&o!==n&&xe(t,o,{get:()=>e[o],enumerable:!(i=Ht(e,o))||i.enumerable});return t};var qt=t=>Wt(xe({},"__esModule",{value:!0}),t);var Nn={};X(Nn,{default:()=>An});var Ue={};X(Ue,{Component:()=>L,Fragment:()=>T,cloneElement:()=>Lt,createContext:()=>Qt,createElement:()=>Te,createPortal:()=>Yt,createRef:()=>Vt,h:()=>Te,hydrate:()=>Kt,isValidElement:()=>ce,options:()=>l,render:()=>ot,toChildArray:()=>nt});var l,Ze,ce,M,Se,fe,Je,re,Ke,je,Ce,Qe,Y=Symbol.for("pv"),se={},ae=[],Rt=/^m(i|n|o|s|text|space)$/,le=Array.isArray,pe=ae.slice,O=Object.assign;function q(t){t&&t.parentNode&&t.remove()}function Te(t,e,n){var i,o,_,r={},u=arguments.length;for(_ in e)_=="key"?i=e[_]:_=="ref"&&typeof t!="function"?o=e[_]:r[_]=e[_];return u>2&&(r.children=u>3?pe.call(arguments,2):n),R(t,r,i,o,null)}function Lt(t,e,n){var i,o,_,r=O({},t.props),u=arguments.length;for(_ in e)_=="key"?i=e[_]:_=="ref"&&typeof t.type!="function"?o=e[_]:r[_]=e[_];return u>2&&(r.children=u>3?pe.call(arguments,2):n),R(t.type,r,i!==void 0?i:t.key,o!==void 0?o:t.ref,null)}function R(t,e,n,i,o){var _={type:t,props:e,key:n,ref:i,__k:null,__:null,__b:0,__e:null,__c:null,constructor:Y,__v:o||++Ze,__i:-1,__u:0};return!o&&l.vnode&&l.vnode(_),_}function Vt(){return{current:null}}function T(t){return t.children}function L(t,e){this.props=t,this.context=e,this.__g=0}function H(t,e){if(e==null)return t.__&&H(t.__,t.__i+1);for(var n;e<t.__k.length;e++)if((n=t.__k[e])&&n.__e)return n.__e;return typeof t.type!="function"||t.props.__P?null:H(t)}function It(t){var e,n=t.__v,i=n.__e,o=[],_=[],r=t.__P;r&&((e=O({constructor:Y},n)).__v=n.__v+1,l.vnode&&l.vnode(e),Ae(r,e,n,t.__n,r.namespaceURI,32&n.__u?[i]:null,o,i||H(n),32&n.__u,_),e.__v=n.__v,e.__.__k[e.__i]=e,_t(o,e,_),n.__=n.__e=null,e.__e!=i&&Xe(e))}function Xe(t){if((t=t.__)&&t.__c&&!t.props.__P)return t.__e=null,t.__k.some(function(e){return e&&(t.__e=e.__e)}),Xe(t)}function Pe(t){(8&t.__g||(t.__g|=8,M.push(t),fe++))&&Se==l.debounceRendering||((Se=l.debounceRendering)||queueMicrotask)(Ye)}function Ye(){try{for(var t,e=1;M.length;)M.length>e&&M.sort(Je),t=M.shift(),e=M.length,8&t.__g&&It(t)}finally{(fe=M.length)&&(Se||queueMicrotask)(Ye)}}function et(t,e,n,i,o,_,r,u,a,c,s){var y,v,f,p,S,d,b=i.__k||ae,h=e.length;for(a=Bt(n,e,b,a,h),y=0;y<h;y++)(f=n.__k[y])!=null&&(v=~f.__i&&b[f.__i]||se,f.__i=y,d=Ae(t,f,v,o,_,r,u,a,c,s),p=f.__e,(v.ref!=f.ref||8&v.__u)&&(v.ref&&Ne(v.ref,null,f,v),f.ref&&s.push(f.ref,f.__c||p,f)),S=S||p,4&f.__u?(a=tt(f,a,t,!v.__v),v.__e&&(v.__e=null)):typeof f.type=="function"&&d!==void 0?a=d:p&&(a=p.nextSibling),f.__u&=-21);return n.__e=S,a}function Bt(t,e,n,i,o){var _,r,u,a,c,s,y,v,f,p=n.length,S=p,d=0,b=0,h=t.__k=Array(o);for(_=0;_<o;_++)(r=e[_])!=null&&typeof r!="boolean"&&typeof r!="function"?(typeof r!="object"||r.constructor===String?r=h[_]=R(null,r):le(r)?r=h[_]=R(T,{children:r}):r.constructor===Y&&r.__b?r=h[_]=R(r.type,r.props,r.key,r.ref,r.__v):h[_]=r,a=_+d,r.__=t,r.__b=t.__b+1,u=null,~(c=r.__i=zt(r,n,a,S))&&(S--,(u=n[c])&&(u.__u|=2)),u&&u.__v?(r.__u|=16,c==a-1?d--:c==a+1?d++:c!=a&&(c>a?d--:d++,b=1)):(~c||(o>p?d--:o<p&&d++),typeof r.type!="function"&&(r.__u|=4))):h[_]=null;if(b){for(s=[],y=[],_=0;_<o;_++)if((r=h[_])&&16&r.__u){for(d=0,v=s.length;d<v;)s[f=d+v>>1]<r.__i?d=f+1:v=f;s[d]=r.__i,y[_]=d+1}for(d=s.length;_--;)y[_]&&(y[_]==d?d--:h[_].__u|=4)}if(S)for(_=0;_<p;_++)!(u=n[_])||2&u.__u||(u.__e==i&&(i=H(u)),$e(u,u));return i}function tt(t,e,n,i){var o,_,r,u;if(typeof t.type=="function"){if(t.props.__P)return e;if(o=t.__k)for(_=0;_<o.length;_++)o[_]&&(o[_].__=t,e=tt(o[_],e,n,!1));return e}for(e&&!e.parentNode&&(e=H(t))&&!e.parentNode&&(e=null),r=t.__e,u=e;u&&u.nodeType==8;)u=u.nextSibling;for(r!=u&&(!i&&n.moveBefore&&r.parentNode?n.moveBefore(r,e):n.insertBefore(r,e||null)),e=r;(e=e&&e.nextSibling)&&e.nodeType==8&&!e.data.startsWith("$s"););return e}function nt(t,e){return e=e||[],t!=null&&typeof t!="boolean"&&(le(t)?t.some(function(n){nt(n,e)}):e.push(t)),e}function zt(t,e,n,i){var o,_=t.key,r=t.type,u=e[n],a=u&&!(2&u.__u);if(u===null&&_==null||a&&_==u.key&&r==u.type)return n;if(i>(a?1:0)){for(o=n-1;o>=0;o--)if((u=e[o])&&!(2&u.__u)&&_==u.key&&r==u.type)return o;for(o=n+1;o<e.length;o++)if((u=e[o])&&!(2&u.__u)&&_==u.key&&r==u.type)return o}return-1}function Ge(t,e,n){n==null&&(n=""),e[0]=="-"?t.setProperty(e,n):t[e]=n}function oe(t,e,n,i,o){var _,r;if(e=="style")if(typeof n=="string")t.style.cssText=n;else{if(typeof i=="string"&&(t.style.cssText=i=""),i)for(e in i)n&&e in n||Ge(t.style,e);if(n)for(e in n)i&&n[e]==i[e]||Ge(t.style,e,n[e])}else if(e[0]=="o"&&e[1]=="n")typeof n!="function"&&(n=null),typeof i!="function"&&(i=null),(t.__e||(t.__e={}))[e]=n,n&&i||(r=Ce[e]||(Ce[e]=Gt(e)),(t.__a||(t.__a={}))[e]=je,_=e!=(e=e.replace(Ke,"$1")),(e=e.slice(2))[0]<"a"&&(e=e.toLowerCase()),n?t.addEventListener(e,r,_):t.removeEventListener(e,r,_));else{if(o=="http://www.w3.org/2000/svg")e=e.replace(/xlink(H|:h)/,"h").replace(/sName$/,"s");else if(e!="width"&&e!="height"&&e!="href"&&e!="list"&&e!="form"&&e!="tabIndex"&&e!="download"&&e!="rowSpan"&&e!="colSpan"&&e!="role"&&e!="popover"&&e in t)try{return void(t[e]=n??"")}catch{}if(typeof n=="function")return;n==null||n===!1&&e[4]!="-"?t.removeAttribute(e):t.setAttribute(e,e=="popover"&&n==1?"":n)}}function Gt(t){return function(e){var n=this.__e;if(n){if(n=n[t],e[re]==null)e[re]=je++;else if(e[re]<this.__a[t])return;return n(l.event?l.event(e):e)}}}function Ae(t,e,n,i,o,_,r,u,a,c){var s,y,v,f,p,S,d,b,h,C,w,we,Be,_e,F,ze,E,W,A=e.type;if(e.constructor!==Y)return null;128&n.__u&&(a=32&n.__u,s=n.__c.__z)&&(e.__u|=a,y=_=[],s.nodeType==8?u=ue(s,_):_.push(s),u=_[0]||u),(s=l.__b)&&s(e);e:if(typeof A=="function"){v=r.length;try{if(b=e.props,h=(s=A.prototype)&&s.render,C=(s=A.contextType)&&i[s.__c],w=s?C?C.props.value:s.__:i,(f=n.__c)?(e.__c=f,2&f.__g&&(f.__g|=1)):(h?e.__c=f=new A(b,w):(e.__c=f=new L(b,w),f.constructor=A,f.render=Jt),C&&C.sub(f),f.state||(f.state={}),f.__n=i,f.__g|=8,f.__h=[],f.__k=[]),h&&(f.__s||(f.__s=f.state),A.getDerivedStateFromProps&&(f.__s==f.state&&(f.__s=O({},f.__s)),O(f.__s,A.getDerivedStateFromProps(b,f.__s)))),p=f.props,S=f.state,f.__v=e,n.__c){if(b!==p&&h&&!A.getDerivedStateFromProps&&f.componentWillReceiveProps&&f.componentWillReceiveProps(b,w),e.__v==n.__v&&!(8&f.__g)||!(4&f.__g)&&f.shouldComponentUpdate&&f.shouldComponentUpdate(b,f.__s,w)===!1){e.__v!=n.__v&&(f.props=b,f.state=f.__s,f.__g&=-9),e.__e=n.__e,e.__k=n.__k,e.__k.some(function(j){j&&(j.__=e)}),ae.push.apply(f.__h,f.__k),f.__k=[],f.__h.length&&r.push(f),u=H(n);break e}f.componentWillUpdate&&f.componentWillUpdate(b,f.__s,w),h&&f.componentDidUpdate&&f.__h.push(function(){f.componentDidUpdate(p,S,d)})}else h&&!A.getDerivedStateFromProps&&f.componentWillMount&&f.componentWillMount(),h&&f.componentDidMount&&f.__h.push(f.componentDidMount);f.context=w,f.props=b,f.__P=t,f.__g&=-5,we=l.__r,Be=h?25:0;do f.__g&=-9,we&&we(e),s=f.render(f.props,f.state=f.__s,f.context);while(8&f.__g&&++Be<25);h&&(ae.push.apply(f.__h,f.__k),f.__k=[]),f.state=f.__s,f.getChildContext&&(i=O({},i,f.getChildContext())),h&&n.__c&&f.getSnapshotBeforeUpdate&&(d=f.getSnapshotBeforeUpdate(p,S)),_e=s&&s.type===T&&s.key==null?s.props.children:s,b.__P&&(s=u,o=(t=b.__P).namespaceURI,a=_=null,n.props&&n.props.__P!=t&&(n.__k.some(function(j){j&&$e(j,j)}),n.__k=null),u=n.__k?H(n,0):null),u=et(t,le(_e)?_e:[_e],e,n,i,o,_,r,u,a,c),b.__P&&(e.__e=null,u=s),e.__u&=-161,y&&y.some(q),f.__h.length&&r.push(f),1&f.__g&&(f.__g&=-4)}catch(j){if(r.length=v,e.__v=null,a||_)if(j&&j.then){if(e.__u|=128|a,_){for(~(E=_.indexOf(u||void 0))||(E=_.length);(W=_[E-1])&&W.nodeType==8;)E--;for(;E<_.length;E++)if(W=_[E])if(_[E]=null,F){if(W==ze)break}else{if(W.nodeType!=8)break;W.data.startsWith("$s")&&(ze=ue(F=W))}}if(!F){for(;u&&u.nodeType==8&&u.nextSibling;)u=u.nextSibling;F=u}(s=ue(F=e.__c.__z||(e.__c.__z=F)))?(e.__e=F,u=s):e.__e=u,u=u&&u.nextSibling}else _&&_.some(q);else e.__e=n.__e;e.__k||(e.__k=n.__k||[]),j&&j.then||it(e),l.__e(j,e,n)}}else u=e.__e=Zt(n.__e,e,n,i,o,_,r,a,c,t);return(s=l.diffed)&&s(e),u}function ue(t,e){if(t&&t.nodeType==8&&t.data.startsWith("$s"))for(var n=1;t=t.nextSibling;){if(t.nodeType==8){if(t.data.startsWith("$s"))n++;else if(t.data.startsWith("/$s")&&!--n)return t}e&&e.push(t)}}function it(t){t&&(t.__c&&(t.__c.__g|=4),t.__k&&t.__k.some(it))}function _t(t,e,n){for(var i=0;i<n.length;)Ne(n[i++],n[i++],n[i++]);l.__c&&l.__c(e,t),t.some(function(o){try{t=o.__h,o.__h=[],t.some(function(_){_.call(o)})}catch(_){l.__e(_,o.__v)}})}function Zt(t,e,n,i,o,_,r,u,a,c){var s,y,v,f,p,S,d,b,h=n.props||se,C=e.props,w=e.type;if(w=="svg"?o="http://www.w3.org/2000/svg":w=="math"?o="http://www.w3.org/1998/Math/MathML":o||(o="http://www.w3.org/1999/xhtml"),_){for(s=0;s<_.length;s++)if((p=_[s])&&(w?p.localName==w:p.nodeType==3)){t=p,_[s]=null;break}}if(!t){if(b=c.ownerDocument||document,!w)return b.createTextNode(C);t=b.createElementNS(o,w,C.is?C:c),u&&(l.__m&&l.__m(e,_),u=!1),_=null}if(w){if(c=w=="template"&&t.content||t,_=w=="textarea"&&C.defaultValue!=null?null:_&&pe.call(c.childNodes),!u&&_)for(h={},s=0;s<t.attributes.length;s++)h[(p=t.attributes[s]).name]=p.value;for(s in h)p=h[s],s=="dangerouslySetInnerHTML"?v=p:s=="children"||s in C||s=="value"&&"defaultValue"in C||s=="checked"&&"defaultChecked"in C||oe(t,s,null,p,o);for(s in C)p=C[s],s=="children"?f=p:s=="dangerouslySetInnerHTML"?y=p:s=="value"?S=p:s=="checked"?d=p:u&&typeof p!="function"||h[s]===p||oe(t,s,p,h[s],o);y?(u||v&&(y.__html==v.__html||y.__html==t.innerHTML)||(t.innerHTML=y.__html),e.__k=[]):(v&&(t.textContent=""),(w=="foreignObject"||o=="http://www.w3.org/1998/Math/MathML"&&Rt.test(w))&&(o="http://www.w3.org/1999/xhtml"),et(c,le(f)?f:[f],e,n,i,o,_,r,_?_[0]:n.__k&&H(n,0),u,a),_&&_.some(q)),u&&w!="textarea"||(s="value",w=="progress"&&S==null?t.removeAttribute(s):S==null||S===t[s]&&(w!="progress"||S)||oe(t,s,S,h[s],o),s="checked",d!=null&&d!=t[s]&&oe(t,s,d,h[s],o))}else h===C||u&&t.data==C||(t.data=C);return t}function Ne(t,e,n,i){try{typeof t=="function"?e?e.__x=t(e)||1:i&&(i=i.__c||i.__e)&&(e=i.__x)&&(i.__x=null,typeof e=="function"?e():t(null)):t.current=e}catch(o){l.__e(o,n)}}function $e(t,e,n){var i,o,_,r;if(l.unmount&&l.unmount(t),!(i=t.ref)||i.current&&i.current!=t.__e||Ne(i,null,e,t),i=t.__c){if(i.componentWillUnmount)try{i.componentWillUnmount()}catch(u){l.__e(u,e)}i.__P=i.__n=null}if(i=t.__k)for(r=0;r<i.length;r++)i[r]&&$e(i[r],e,typeof t.type!="function"||n&&!t.props.__P);!n&&(i=t.__c)&&(i=i.__z)&&(o=ue(i,_=[]))&&(i==t.__e&&_.some(q),q(o),q(i)),n||q(t.__e),t.__e=t.__c=t.__=null}function Jt(t,e,n){return this.constructor(t,n)}function ot(t,e){var n,i,o,_;l.__&&l.__(t,e),e.nodeType==9&&(e=e.documentElement),i=(n=t&&32&t.__u)?null:e.__k,e.__k=R(T,{children:[t]}),o=[],_=[],Ae(e,e.__k,i||se,se,e.namespaceURI,i?null:e.firstChild?pe.call(e.childNodes):null,o,i?i.__e:e.firstChild,n,_),_t(o,e.__k,_),e.__k.props.children=null}function Kt(t,e){t&&typeof t=="object"&&(t.__u|=32),ot(t,e)}function Qt(t){function e(n){var i,o;return this.getChildContext||(i=new Set,(o={})[e.__c]=this,this.getChildContext=function(){return o},this.shouldComponentUpdate=function(_){this.props.value!=_.value&&i.forEach(function(r){r.__g|=4,Pe(r)})},this.sub=function(_){i.add(_);var r=_.componentWillUnmount;_.componentWillUnmount=function(){i.delete(_),r&&r.call(_)}}),n.children}return e.__c="__cC"+Qe++,e.__=t,e.Provider=(e.Consumer=function(n,i){return n.children(i)}).contextType=e,e}function Xt(t){return t.children}function Yt(t,e){return R(Xt,{__P:e,children:t})}l={__e:function(t,e,n,i){for(var o,_,r;e=e.__;)if((o=e.__c)&&!(1&o.__g)){o.__g|=4;try{if((r=(_=o.constructor)&&_.getDerivedStateFromError)&&o.setState(_.getDerivedStateFromError(t)),o.componentDidCatch&&(o.componentDidCatch(t,i||{}),r=1),r&&8&o.__g)return void(o.__g|=2)}catch(u){t=u}}throw fe=0,t}},Ze=0,ce=function(t){return t!=null&&t.constructor===Y},L.prototype.setState=function(t,e){var n=this.__s;n&&n!=this.state||(n=this.__s=O({},this.state)),typeof t=="function"&&(t=t(O({},n),this.props)),t&&(O(n,t),this.__v&&(e&&this.__k.push(e),Pe(this)))},L.prototype.forceUpdate=function(t){this.__v&&(this.__g|=4,t&&this.__h.push(t),Pe(this))},L.prototype.render=T,M=[],fe=0,Je=function(t,e){return t.__v.__b-e.__v.__b},re=Symbol(),Ke=/(PointerCapture)$|Capture$/i,je=0,Ce={},Qe=0;var Fe={};X(Fe,{useCallback:()=>tn,useContext:()=>nn,useDebugValue:()=>_n,useEffect:()=>he,useErrorBoundary:()=>on,useId:()=>rn,useImperativeHandle:()=>en,useLayoutEffect:()=>mt,useMemo:()=>D,useReducer:()=>yt,useRef:()=>ve,useState:()=>dt});var N,m,Ee,rt,Me=Object.is,G=0,vt=[],Oe=[],k=l,ut=k.__b,ft=k.__r,st=k.diffed,at=k.__c,ct=k.unmount,lt=k.__;function V(t,e){k.__h&&k.__h(m,t,G||e),G=0;var n=m.__H||(m.__H={__:[],__h:[]});return t>=n.__.length&&n.__.push({}),n.__[t]}function dt(t){return G=1,yt(gt,t)}function yt(t,e,n){var i=V(N++,2);if(i.t=t,!i.__c&&(i.__=[n?n(e):gt(void 0,e),function(_){var r=(i.__N||i.__)[0],u=i.t(r,_);Me(r,u)||(i.__N=[u,i.__[1]],i.__c.setState({}))}],i.__c=m,!m.__f)){m.__f=!0;var o=m.shouldComponentUpdate;m.shouldComponentUpdate=function(_,r,u){var a=this.__H;if(!a)return!0;var c=!1,s=this.props!=_;if(a.__.some(function(v){v.__N&&(c=!0,Me(v.__[0],v.__N[0])||(s=!0))}),o){var y=o.call(this,_,r,u);return c?y||s:y}return!c||s}}return i.__}function he(t,e){var n=V(N++,3);!k.__s&&De(n.__H,e)&&(n.__P=!0,n.__=t,n.u=e,m.__H.__h.push(n))}function mt(t,e){var n=V(N++,4);!k.__s&&De(n.__H,e)&&(n.__P=!1,n.__=t,n.u=e,m.__h.push(n))}function ve(t){return G=5,D(function(){return{current:t}},[])}function en(t,e,n){G=6,mt(function(){if(typeof t=="function"){var i=t(e());return function(){t(null),typeof i=="function"&&i()}}if(t)return t.current=e(),function(){return t.current=null}},n==null?n:n.concat(t))}function D(t,e){var n=V(N++,7);return De(n.__H,e)&&(n.__=t(),n.__H=e),n.__}function tn(t,e){return G=8,D(function(){return t},e)}function nn(t){var e=m.context[t.__c],n=V(N++,9);return n.c=t,e?(n.__==null&&(n.__=!0,e.sub(m)),e.props.value):t.__}function _n(t,e){k.useDebugValue&&k.useDebugValue(e?e(t):t)}function on(t){var e=V(N++,10),n=dt();return e.__=t,m.componentDidCatch||(m.componentDidCatch=function(i,o){e.__&&e.__(i,o),n[1](i)}),[n[0],function(){return n[1]()}]}function rn(){var t=V(N++,11);if(!t.__){for(var e=m.__v;!e.__m&&e.__;)e=e.__;var n=e.__m||(e.__m=[0,0]);t.__="P"+n[0]+"-"+n[1]++}return t.__}function un(){var t;do{for(;t=Oe.shift();)try{ee(t)}catch(n){k.__e(n,{__:(t=t.__P)&&t.__v})}for(;t=vt.shift();){var e=t.__H;if(t.__P&&e)try{e.__h.some(ee),e.__h.some(He),e.__h=[]}catch(n){e.__h=[],k.__e(n,t.__v)}}}while(Oe.length)}k.__b=function(t){m=null,ut&&ut(t)},k.__=function(t,e){t&&e.__k&&e.__k.__m&&(t.__m=e.__k.__m),lt&&lt(t,e)},k.__r=function(t){ft&&ft(t),N=0;var e=(m=t.__c).__H;e&&(Ee==m?m.__h=[]:(e.__h.some(ee),e.__h.some(He),N=0),e.__h=[],e.__.some(function(n){n.__N&&(n.__=n.__N),n.u=n.__N=void 0})),Ee=m},k.diffed=function(t){st&&st(t);var e=t.__c;e&&e.__H&&(e.__H.__h.length&&ht(vt.push(e)),e.__H.__.some(function(n){n.u&&(n.__H=n.u)})),Ee=m=null},k.__c=function(t,e){e.some(function(n){try{n.__h.some(ee),n.__h=n.__h.filter(function(i){return!i.__||He(i)})}catch(i){n.__h=[function(){throw i}]}}),at&&at(t,e)},k.unmount=function(t){ct&&ct(t);var e,n,i=t.__c;i&&i.__H&&(i.__H.__.some(function(o){try{if(o.__P&&o.__c){if(n===void 0){for(n=t.__;n&&(!n.__c||!n.__c.__P);)n=n.__;n=n&&n.__c}o.__P=n,ht(Oe.push(o))}else ee(o)}catch(_){e=_}}),i.__H=void 0,e&&k.__e(e,i.__v))};var pt=typeof requestAnimationFrame=="function";function fn(t){var e,n=function(){clearTimeout(i),pt&&cancelAnimationFrame(e),setTimeout(t)},i=setTimeout(n,35);pt&&(e=requestAnimationFrame(n))}function ht(t){t!=1&&rt==k.requestAnimationFrame||((rt=k.requestAnimationFrame)||fn)(un)}function ee(t){var e=m,n=t.__c;typeof n=="function"&&(t.__c=void 0,n()),m=e}function He(t){var e=m;t.__c=t.__(),m=e}function De(t,e){return!t||t.length!=e.length||e.some(function(n,i){return!Me(n,t[i])})}function gt(t,e){return typeof e=="function"?e(t):e}var qe={};X(qe,{Fragment:()=>T,jsx:()=>wt,jsxAttr:()=>hn,jsxDEV:()=>wt,jsxEscape:()=>xt,jsxTemplate:()=>ln,jsxs:()=>wt});var sn=/["&<]/;function We(t){if(!t.length||!sn.test(t))return t;for(var e=0,n=0,i="",o="";n<t.length;n++){switch(t.charCodeAt(n)){case 34:o="&quot;";break;case 38:o="&amp;";break;case 60:o="&lt;";break;default:continue}n!=e&&(i+=t.slice(e,n)),i+=o,e=n+1}return n!=e&&(i+=t.slice(e,n)),i}var kt=Symbol.for("pv"),an=0,cn=Array.isArray;function wt(t,e,n,i,o,_){e||(e={});var r,u,a=e;if("ref"in a&&typeof t!="function")for(u in a={},e)u=="ref"?r=e[u]:a[u]=e[u];var c={type:t,props:a,key:n,ref:r,__k:null,__:null,__b:0,__e:null,__c:null,constructor:kt,__v:--an,__i:-1,__u:0};return(o||_)&&(c.__source=o,c.__self=_),l.vnode&&l.vnode(c),c}function ln(t){var e=wt(T,{tpl:t,exprs:[].slice.call(arguments,1)});return e.key=e.__v,e}var bt={},pn=/[A-Z]/g;function hn(t,e){if(l.attr){var n=l.attr(t,e);if(typeof n=="string")return n}if(e=(function(r){return r!=null&&typeof r=="object"&&typeof r.valueOf=="function"?r.valueOf():r})(e),t=="ref"||t=="key")return"";if(t=="style"&&typeof e=="object"){var i="";for(var o in e){var _=e[o];_!=null&&_!==""&&(i=i+(o[0]=="-"?o:bt[o]||(bt[o]=o.replace(pn,"-$&").toLowerCase()))+":"+_+";")}return t+'="'+We(i)+'"'}return e==null||e===!1||typeof e=="function"||typeof e=="object"?"":e===!0?t:t+'="'+We(""+e)+'"'}function xt(t){if(t==null||typeof t=="boolean"||typeof t=="function")return null;if(typeof t=="object"){if(t.constructor===kt)return t;if(cn(t)){for(var e=0;e<t.length;e++)t[e]=xt(t[e]);return t}}return We(""+t)}var Ie={};X(Ie,{Signal:()=>x,action:()=>be,batch:()=>I,computed:()=>Z,createModel:()=>Nt,effect:()=>U,signal:()=>ne,untracked:()=>B,useComputed:()=>kn,useModel:()=>Tn,useSignal:()=>Mt,useSignalEffect:()=>jn});var vn=Symbol.for("preact-signals");function ge(){if($>1)$--;else{var t,e=!1;for((function(){var o=ye;for(ye=void 0;o!==void 0;){var _=o.S;if(_.v===o.v)for(var r=_.t;r!==void 0;r=r.x)r.i===o.i&&(r.i=_.i);o=o.o}})();te!==void 0;){var n=te;for(te=void 0,de++;n!==void 0;){var i=n.u;if(n.u=void 0,n.f&=-3,!(8&n.f)&&Ct(n))try{n.c()}catch(o){e||(t=o,e=!0)}n=i}}if(de=0,$--,e)throw t}}function I(t){if($>0)return t();Re=++dn,$++;try{return t()}finally{ge()}}var P,g=void 0;function B(t){var e=g,n=P;g=void 0,P=void 0;try{return t()}finally{g=e,P=n}}var te=void 0,$=0,de=0,dn=0,Re=0,ye=void 0,me=0;function St(t){if(g!==void 0){var e=t.n;if(e===void 0||e.t!==g)return e={i:0,S:t,p:g.s,n:void 0,t:g,e:void 0,x:void 0,r:e},g.s!==void 0&&(g.s.n=e),g.s=e,t.n=e,32&g.f&&t.S(e),e;if(e.i===-1)return e.i=0,e.n!==void 0&&(e.n.p=e.p,e.p!==void 0&&(e.p.n=e.n),e.p=g.s,e.n=void 0,g.s.n=e,g.s=e),e}}function x(t,e){this.v=t,this.i=0,this.n=void 0,this.t=void 0,this.l=0,this.W=e?.watched,this.Z=e?.unwatched,this.name=e?.name}x.prototype.brand=vn;x.prototype.h=function(){return!0};x.prototype.S=function(t){var e=this,n=this.t;n!==t&&t.e===void 0&&(t.x=n,this.t=t,n!==void 0?n.e=t:B(function(){var i;(i=e.W)==null||i.call(e)}))};x.prototype.U=function(t){var e=this;if(this.t!==void 0){var n=t.e,i=t.x;n!==void 0&&(n.x=i,t.e=void 0),i!==void 0&&(i.e=n,t.x=void 0),t===this.t&&(this.t=i,i===void 0&&B(function(){var o;(o=e.Z)==null||o.call(e)}))}};x.prototype.subscribe=function(t){var e=this;return U(function(){var n=e.value;B(function(){return t(n)})},{name:"sub"})};x.prototype.valueOf=function(){return this.value};x.prototype.toString=function(){return this.value+""};x.prototype.toJSON=function(){return this.value};x.prototype.peek=function(){var t=this;return B(function(){return t.value})};Object.defineProperty(x.prototype,"value",{get:function(){var t=St(this);return t!==void 0&&(t.i=this.i),this.v},set:function(t){if(t!==this.v){if(de>100)throw new Error("Cycle detected");(function(n){$!==0&&de===0&&n.l!==Re&&(n.l=Re,ye={S:n,v:n.v,i:n.i,o:ye})})(this),this.v=t,this.i++,me++,$++;try{for(var e=this.t;e!==void 0;e=e.x)e.t.N()}finally{ge()}}}});function ne(t,e){return new x(t,e)}function Ct(t){for(var e=t.s;e!==void 0;e=e.n)if(e.S.i!==e.i||!e.S.h()||e.S.i!==e.i)return!0;return!1}function Pt(t){for(var e=t.s;e!==void 0;e=e.n){var n=e.S.n;if(n!==void 0&&(e.r=n),e.S.n=e,e.i=-1,e.n===void 0){t.s=e;break}}}function jt(t){for(var e=t.s,n=void 0;e!==void 0;){var i=e.p;e.i===-1?(e.S.U(e),i!==void 0&&(i.n=e.n),e.n!==void 0&&(e.n.p=i)):n=e,e.S.n=e.r,e.r!==void 0&&(e.r=void 0),e=i}t.s=n}function z(t,e){x.call(this,void 0,e),this.x=t,this.s=void 0,this.g=me-1,this.f=4}z.prototype=new x;z.prototype.h=function(){if(this.f&=-3,1&this.f)return!1;if((36&this.f)==32||(this.f&=-5,this.g===me))return!0;if(this.g=me,this.f|=1,this.i>0&&!Ct(this))return this.f&=-2,!0;var t=g;try{Pt(this),g=this;var e=this.x();(16&this.f||this.v!==e||this.i===0)&&(this.v=e,this.f&=-17,this.i++)}catch(n){this.v=n,this.f|=16,this.i++}return g=t,jt(this),this.f&=-2,!0};z.prototype.S=function(t){if(this.t===void 0){this.f|=36;for(var e=this.s;e!==void 0;e=e.n)e.S.S(e)}x.prototype.S.call(this,t)};z.prototype.U=function(t){if(this.t!==void 0&&(x.prototype.U.call(this,t),this.t===void 0)){this.f&=-33;for(var e=this.s;e!==void 0;e=e.n)e.S.U(e)}};z.prototype.N=function(){if(!(2&this.f)){this.f|=6;for(var t=this.t;t!==void 0;t=t.x)t.t.N()}};Object.defineProperty(z.prototype,"value",{get:function(){if(1&this.f)throw new Error("Cycle detected");var t=St(this);if(this.h(),t!==void 0&&(t.i=this.i),16&this.f)throw this.v;return this.v}});function Z(t,e){return new z(t,e)}function Tt(t){var e=t.j;if(t.j=void 0,typeof e=="function"){$++;var n=g;g=void 0;try{e()}catch(i){throw t.f&=-2,t.f|=8,Le(t),i}finally{g=n,ge()}}}function Le(t){for(var e=t.s;e!==void 0;e=e.n)e.S.U(e);t.x=void 0,t.s=void 0,Tt(t)}function yn(t){if(g!==this)throw new Error("Out-of-order effect");jt(this),g=t,this.f&=-2;try{8&this.f&&Le(this)}finally{ge()}}function J(t,e){this.x=t,this.j=void 0,this.s=void 0,this.u=void 0,this.f=32,this.name=e?.name,P&&P.push(this)}J.prototype.c=function(){var t=this.S();try{if(8&this.f||this.x===void 0)return;var e=this.x();typeof e=="function"&&(this.j=e)}finally{t()}};J.prototype.S=function(){if(1&this.f)throw new Error("Cycle detected");this.f|=1,this.f&=-9,Tt(this),Pt(this),$++;var t=g;return g=this,yn.bind(this,t)};J.prototype.N=function(){2&this.f||(this.f|=2,this.u=te,te=this)};J.prototype.d=function(){this.f|=8,1&this.f||Le(this)};J.prototype.dispose=function(){this.d()};function U(t,e){var n=new J(t,e);try{n.c()}catch(o){throw n.d(),o}var i=n.d.bind(n);return i[Symbol.dispose]=i,i}function be(t){return function(){var e=arguments,n=this;return I(function(){return B(function(){return t.apply(n,[].slice.call(e))})})}}function mn(){var t=P;return P=[],function(){var e=P;return P&&t&&(t=t.concat(P)),P=t,e}}var At=function(t,e){e.push(t);for(var n=Object.prototype.toString.call(t)==="[object Object]",i=Object.create(null),o=t;o&&o!==Object.prototype;o=n&&Object.getPrototypeOf(o)){var _=Object.getOwnPropertyDescriptors(o);for(var r in _)if(!i[r]){i[r]=!0;var u=_[r].value;typeof u=="function"?r!=="constructor"&&(t[r]=be(u)):o===t&&typeof u=="object"&&u!==null&&!("brand"in u)&&e.indexOf(u)<0&&At(u,e)}}};function Nt(t){return function(){var e,n,i=mn();try{n=t.apply(void 0,[].slice.call(arguments))}catch(_){var o=P;if(P=void 0,o)try{I(function(){for(var r=0;r<o.length;r++)try{o[r].dispose()}catch{}})}catch{}throw _}finally{e=i()}return At(n,[]),n[Symbol.dispose]=be(function(){if(e)for(var _=0;_<e.length;_++)e[_].dispose();e=void 0}),n}}var Ve,K,ke,gn=typeof window<"u"&&!!window.__PREACT_SIGNALS_DEVTOOLS__,$t=[],Ut=[];U(function(){Ve=this.N})();function Q(t,e){l[t]=e.bind(null,l[t]||function(){})}function ie(t){if(ke){var e=ke;ke=void 0,e()}ke=t&&t.S()}function Et(t){var e=this,n=t.data,i=Mt(n);i.name="ReactiveDom",i.value=n;var o=D(function(){for(var u=e,a=e.__v;a=a.__;)if(a.__c){a.__c.__$f|=4;break}var c=Z(function(){var f=i.value.value;return f===0?0:f===!0?"":f||""}),s=Z(function(){return!Array.isArray(c.value)&&!ce(c.value)}),y=U(function(){if(this.N=Ot,s.value){var f=c.value;u.__v&&u.__v.__e&&u.__v.__e.nodeType===3&&(u.__v.__e.data=f)}}),v=e.__$u.d;return e.__$u.d=function(){y(),v.call(this)},[s,c]},[]),_=o[0],r=o[1];return _.value?r.peek():r.value}Et.displayName="ReactiveTextNode";Object.defineProperties(x.prototype,{constructor:{configurable:!0,value:Te(T,null).constructor},type:{configurable:!0,value:Et},props:{configurable:!0,get:function(){var t=this;return{data:{get value(){return t.value}}}}},__b:{configurable:!0,value:1}});Q("__b",function(t,e){if(ie(),K=void 0,typeof e.type=="string"){var n,i=e.props;for(var o in i)if(o!=="children"){var _=i[o];_ instanceof x&&(n||(e.__np=n={}),n[o]=_,i[o]=_.peek())}}t(e)});Q("__r",function(t,e){if(t(e),e.type!==T){ie();var n,i=e.__c;i&&(i.__$f&=-2,(n=i.__$u)===void 0&&(i.__$u=n=(function(o,_){var r;return U(function(){r=this},{name:_}),r.c=o,r})((function(o){return function(){var _;gn&&((_=this.y)==null||_.call(this)),o.__$f|=1,o.setState({})}})(i),typeof e.type=="function"?e.type.displayName||e.type.name:""))),K=i,ie(n)}});Q("__e",function(t,e,n,i){ie(),K=void 0,t(e,n,i)});Q("diffed",function(t,e){ie(),K=void 0;var n;if(typeof e.type=="string"&&(n=e.__e)){var i=e.__np,o=e.props,_=n.U;if(_)for(var r in _){var u=_[r];u===void 0||i&&r in i||(u.d(),_[r]=void 0)}if(i){_||(_={},n.U=_);for(var a in i){var c=_[a],s=i[a];c===void 0?(c=bn(n,a,s,o),_[a]=c):c.o(s,o)}}}t(e)});function bn(t,e,n,i){var o=e in t&&t.ownerSVGElement===void 0,_=ne(n);return{o:function(r,u){_.value=r,i=u},d:U(function(){this.N=Ot;var r=_.value.value;i[e]!==r&&(i[e]=r,o?t[e]=r:r!=null&&(r!==!1||e[4]==="-")?t.setAttribute(e,r):t.removeAttribute(e))})}}Q("unmount",function(t,e){if(typeof e.type=="string"){var n=e.__e;if(n){var i=n.U;if(i){n.U=void 0;for(var o in i){var _=i[o];_&&_.d()}}}var r=e.__np;if(r){var u=e.props;for(var a in r)u[a]=r[a]}e.__np=void 0}else{var c=e.__c;if(c){c.__$f|=8;var s=c.__$u;s&&(c.__$u=void 0,s.d())}}t(e)});Q("__h",function(t,e,n,i){i<3&&(e.__$f|=2),t(e,n,i)});L.prototype.shouldComponentUpdate=function(t,e){if(this.__R)return!0;var n=this.__$u,i=n&&n.s!==void 0;for(var o in e)return!0;if(this.__f||typeof this.u=="boolean"&&this.u===!0){var _=2&this.__$f;if(!(i||_||4&this.__$f)||1&this.__$f)return!0}else if(!(i||4&this.__$f)||3&this.__$f)return!0;for(var r in t)if(r!=="__source"&&t[r]!==this.props[r])return!0;for(var u in this.props)if(!(u in t))return!0;return!1};function Mt(t,e){return D(function(){return ne(t,e)},[])}function kn(t,e){var n=ve(t);return n.current=t,K.__$f|=4,D(function(){return Z(function(){return n.current()},e)},[])}var wn=typeof requestAnimationFrame>"u"?setTimeout:function(t){var e=function(){clearTimeout(n),cancelAnimationFrame(i),t()},n=setTimeout(e,35),i=requestAnimationFrame(e)},xn=function(t){queueMicrotask(function(){queueMicrotask(t)})};function Sn(){I(function(){for(var t;t=$t.shift();)Ve.call(t)})}function Cn(){$t.push(this)===1&&(l.requestAnimationFrame||wn)(Sn)}function Pn(){I(function(){for(var t;t=Ut.shift();)Ve.call(t)})}function Ot(){Ut.push(this)===1&&(l.requestAnimationFrame||xn)(Pn)}function jn(t,e){var n=ve(t);n.current=t;var i=K;he(function(){return U(function(){if(this.N=Cn,!(i&&8&i.__$f))return n.current()},e)},[])}function Tn(t){var e=D(function(){return t()},[]);return he(function(){return e[Symbol.dispose]},[e]),e}var An={preact:Ue,"preact/hooks":Fe,"preact/jsx-runtime":qe,"@preact/signals":Ie};return qt(Nn);})();
modules=modules.default;

return modules; })();
"use strict";
(() => {
  var __create = Object.create;
  var __defProp = Object.defineProperty;
  var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
  var __getOwnPropNames = Object.getOwnPropertyNames;
  var __getProtoOf = Object.getPrototypeOf;
  var __hasOwnProp = Object.prototype.hasOwnProperty;
  var __commonJS = (cb, mod) => function __require() {
    try {
      return mod || (0, cb[__getOwnPropNames(cb)[0]])((mod = { exports: {} }).exports, mod), mod.exports;
    } catch (e) {
      throw mod = 0, e;
    }
  };
  var __copyProps = (to, from, except, desc) => {
    if (from && typeof from === "object" || typeof from === "function") {
      for (let key of __getOwnPropNames(from))
        if (!__hasOwnProp.call(to, key) && key !== except)
          __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
    }
    return to;
  };
  var __toESM = (mod, isNodeMode, target) => (target = mod != null ? __create(__getProtoOf(mod)) : {}, __copyProps(
    // If the importer is in node compatibility mode or this is not an ESM
    // file that has been converted to a CommonJS file using a Babel-
    // compatible transform (i.e. "__esModule" has not been set), then set
    // "default" to the CommonJS "module.exports" for node compatibility.
    isNodeMode || !mod || !mod.__esModule ? __defProp(target, "default", { value: mod, enumerable: true }) : target,
    mod
  ));

  // library:preact
  var require_preact = __commonJS({
    "library:preact"(exports, module) {
      module.exports = vendor.modules["preact"];
    }
  });

  // library:@preact/signals
  var require_signals = __commonJS({
    "library:@preact/signals"(exports, module) {
      module.exports = vendor.modules["@preact/signals"];
    }
  });

  // library:preact/hooks
  var require_hooks = __commonJS({
    "library:preact/hooks"(exports, module) {
      module.exports = vendor.modules["preact/hooks"];
    }
  });

  // library:preact/jsx-runtime
  var require_jsx_runtime = __commonJS({
    "library:preact/jsx-runtime"(exports, module) {
      module.exports = vendor.modules["preact/jsx-runtime"];
    }
  });

  // library:uplot
  var require_uplot = __commonJS({
    "library:uplot"(exports, module) {
      module.exports = vendor.uPlot;
    }
  });

  // library:cytoscape
  var require_cytoscape = __commonJS({
    "library:cytoscape"(exports, module) {
      module.exports = vendor.cytoscape;
    }
  });

  // src/main.tsx
  var import_preact = __toESM(require_preact(), 1);

  // src/data/errors.ts
  var DamagedBundleError = class extends Error {
    name = "DamagedBundleError";
  };
  var NewerBundleError = class extends Error {
    name = "NewerBundleError";
  };
  var MissingChunkError = class extends Error {
    constructor(message, inFolder) {
      super(message);
      this.inFolder = inFolder;
    }
    inFolder;
    name = "MissingChunkError";
  };
  function messageOf(error) {
    return error instanceof Error ? error.message : String(error);
  }

  // src/data/codec.ts
  async function decodeChunk(base64, description) {
    const packed = fromBase64(base64);
    const shuffled = description.codec === 1 ? await inflate(packed, description.bytes) : packed;
    if (shuffled.length !== description.bytes) {
      throw new DamagedBundleError(`it has ${shuffled.length} bytes instead of ${description.bytes}`);
    }
    const raw = unshuffle(shuffled, description.width);
    if (crc32(raw) !== description.crc32) {
      throw new DamagedBundleError("its checksum is wrong");
    }
    return raw;
  }
  function fromBase64(text2) {
    const native = Uint8Array.fromBase64;
    try {
      return native === void 0 ? fromBase64WithLoop(text2) : native.call(Uint8Array, text2);
    } catch {
      throw new DamagedBundleError("it is not valid base64");
    }
  }
  function fromBase64WithLoop(text2) {
    const binary = atob(text2);
    const bytes = new Uint8Array(binary.length);
    for (let k = 0; k < binary.length; k++) {
      bytes[k] = binary.charCodeAt(k);
    }
    return bytes;
  }
  async function inflate(packed, length) {
    const raw = new Uint8Array(length);
    const reader = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
    let filled = 0;
    try {
      for (; ; ) {
        const { done, value } = await reader.read();
        if (done) {
          return filled === length ? raw : raw.subarray(0, filled);
        }
        if (filled + value.length > length) {
          void reader.cancel().catch(() => void 0);
          break;
        }
        raw.set(value, filled);
        filled += value.length;
      }
    } catch {
      throw new DamagedBundleError("it cannot be decompressed");
    }
    throw new DamagedBundleError(`it has more than ${length} bytes`);
  }
  function unshuffle(shuffled, width) {
    if (width === 1) {
      return shuffled;
    }
    const raw = new Uint8Array(shuffled.length);
    const elements = shuffled.length / width;
    for (let byte = 0; byte < width; byte++) {
      const start2 = byte * elements;
      for (let k = 0, target = byte; k < elements; k++, target += width) {
        raw[target] = shuffled[start2 + k];
      }
    }
    return raw;
  }
  var CRC_TABLES = crcTables();
  function crcTables() {
    const tables = Array.from({ length: 8 }, () => new Uint32Array(256));
    const [first] = tables;
    for (let byte = 0; byte < 256; byte++) {
      let remainder = byte;
      for (let bit = 0; bit < 8; bit++) {
        remainder = remainder & 1 ? remainder >>> 1 ^ 3988292384 : remainder >>> 1;
      }
      first[byte] = remainder;
    }
    for (let t = 1; t < 8; t++) {
      const [before, table] = [tables[t - 1], tables[t]];
      for (let byte = 0; byte < 256; byte++) {
        const remainder = before[byte];
        table[byte] = remainder >>> 8 ^ first[remainder & 255];
      }
    }
    return tables;
  }
  function crc32(bytes) {
    const [t0, t1, t2, t3, t4, t5, t6, t7] = CRC_TABLES;
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const whole = bytes.length - bytes.length % 8;
    let crc = 4294967295;
    let k = 0;
    for (; k < whole; k += 8) {
      const low = crc ^ view.getUint32(k, true);
      const high = view.getUint32(k + 4, true);
      crc = t7[low & 255] ^ t6[low >>> 8 & 255] ^ t5[low >>> 16 & 255] ^ t4[low >>> 24] ^ t3[high & 255] ^ t2[high >>> 8 & 255] ^ t1[high >>> 16 & 255] ^ t0[high >>> 24];
    }
    for (; k < bytes.length; k++) {
      crc = crc >>> 8 ^ t0[(crc ^ bytes[k]) & 255];
    }
    return (crc ^ 4294967295) >>> 0;
  }

  // src/data/chunks.ts
  var CACHE_BYTES = 256 * 1024 * 1024;
  var PARALLEL_LOADS = 4;
  var ChunkStore = class {
    constructor(options) {
      this.options = options;
    }
    options;
    loaded = /* @__PURE__ */ new Map();
    failed = /* @__PURE__ */ new Map();
    waiting = /* @__PURE__ */ new Set();
    running = /* @__PURE__ */ new Set();
    size = 0;
    /** The raw bytes of a chunk, if it is loaded. */
    peek(id) {
      const bytes = this.loaded.get(id);
      if (bytes !== void 0) {
        this.loaded.delete(id);
        this.loaded.set(id, bytes);
      }
      return bytes;
    }
    /** Why a chunk could not be loaded, if it could not. */
    failure(id) {
      return this.failed.get(id);
    }
    request(ids) {
      for (const id of ids) {
        if (!this.loaded.has(id) && !this.failed.has(id) && !this.running.has(id)) {
          this.waiting.add(id);
        }
      }
      this.startLoads();
    }
    get hasFailed() {
      return this.failed.size > 0;
    }
    /** Forgets failures, so that the next request tries again. */
    forgetFailures() {
      this.failed.clear();
    }
    /** Chunks asked for and not here yet. */
    get outstanding() {
      return this.waiting.size + this.running.size;
    }
    startLoads() {
      for (const id of this.waiting) {
        if (this.running.size >= PARALLEL_LOADS) {
          return;
        }
        this.waiting.delete(id);
        this.running.add(id);
        void this.load(id);
      }
    }
    async load(id) {
      try {
        const bytes = await this.fetchAndDecode(id);
        this.loaded.set(id, bytes);
        this.size += bytes.length;
        this.dropOldest();
      } catch (error) {
        this.failed.set(id, error instanceof Error ? error : new Error(messageOf(error)));
      }
      this.running.delete(id);
      this.startLoads();
      this.options.onChange();
    }
    async fetchAndDecode(id) {
      const { table } = this.options;
      const [bytes, crc, codec, width] = [table.bytes[id], table.crc32[id], table.codec[id], table.width[id]];
      if (bytes === void 0 || crc === void 0 || codec === void 0 || width === void 0) {
        throw new DamagedBundleError(`The bundle refers to part ${id}, which it does not have.`);
      }
      const base64 = await this.options.read(id);
      try {
        return await decodeChunk(base64, { bytes, crc32: crc, codec, width });
      } catch (error) {
        throw error instanceof MissingChunkError ? error : new DamagedBundleError(`Part ${id} of the data is damaged: ${messageOf(error)}.`);
      }
    }
    /** Keeps at least the newest chunk, even if it alone is larger than the cache. */
    dropOldest() {
      const capacity = this.options.capacity ?? CACHE_BYTES;
      for (const [id, bytes] of this.loaded) {
        if (this.size <= capacity || this.loaded.size === 1) {
          return;
        }
        this.loaded.delete(id);
        this.size -= bytes.length;
      }
    }
  };

  // src/data/checks.ts
  function fail(where, expected) {
    throw new DamagedBundleError(`${where} should be ${expected}.`);
  }
  function object(value, where) {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      fail(where, "an object");
    }
    return value;
  }
  function text(value, where) {
    return typeof value === "string" ? value : fail(where, "a text");
  }
  function flag(value, where) {
    return typeof value === "boolean" ? value : fail(where, "true or false");
  }
  function integer(low, high = Number.MAX_SAFE_INTEGER) {
    return (value, where) => typeof value === "number" && Number.isSafeInteger(value) && value >= low && value <= high ? value : fail(where, `a whole number from ${low} to ${high}`);
  }
  var NON_FINITE = /* @__PURE__ */ new Map([
    ["NaN", NaN],
    ["Infinity", Infinity],
    ["-Infinity", -Infinity]
  ]);
  function number(value, where) {
    return typeof value === "number" ? value : NON_FINITE.get(value) ?? fail(where, "a number");
  }
  function orNull(check) {
    return (value, where) => value === null || value === void 0 ? null : check(value, where);
  }
  function oneOf(allowed) {
    return (value, where) => allowed.includes(value) ? value : fail(where, `one of ${allowed.join(", ")}`);
  }
  function list(check) {
    return (value, where) => Array.isArray(value) ? value.map((item2, k) => check(item2, `${where}[${k}]`)) : fail(where, "a list");
  }
  function column(check, length) {
    const checkList = list(check);
    return (value, where) => {
      if (!Array.isArray(value) || value.length !== length) {
        fail(where, `a list of ${length}`);
      }
      return checkList(value, where);
    };
  }
  function ascending(count2) {
    const checkList = list(integer(0, count2 - 1));
    return (value, where) => {
      const positions = checkList(value, where);
      if (positions.some((position, k) => k > 0 && position <= (positions[k - 1] ?? 0))) {
        fail(where, "in ascending order");
      }
      return positions;
    };
  }
  function rowsOf(table, first, where) {
    const value = table[first];
    return Array.isArray(value) ? value.length : fail(`${where}.${first}`, "a list");
  }

  // src/data/types.ts
  var FORMAT = "comgra-bundle";
  var VERSION = 1;
  var CHUNK_BYTES = 4 * 1024 * 1024;
  var LANE_WIDTHS = [8, 4, 2, 1];
  var TENSOR_TYPES = ["input", "calculated", "target", "loss", "parameter"];
  var KINDS = ["neuron", "kpis", "kpis_and_svd", "single_value"];
  var DTYPES = [
    "F64",
    "F32",
    "F16",
    "BF16",
    "F8_E4M3",
    "F8_E5M2",
    "I64",
    "I32",
    "I16",
    "I8",
    "U64",
    "U32",
    "U16",
    "U8",
    "BOOL"
  ];

  // src/data/documents.ts
  function parseLayout(value, where) {
    const root = object(value, where);
    const tensors = object(root["tensors"], `${where}.tensors`);
    const rows = rowsOf(tensors, "name", `${where}.tensors`);
    const read = (check, key) => column(check, rows)(tensors[key], `${where}.tensors.${key}`);
    const optional = (key) => tensors[key] === void 0 ? new Array(rows).fill(null) : read(orNull(text), key);
    const group = (item2, place2) => {
      const fields = object(item2, place2);
      return { name: text(fields["name"], `${place2}.name`), tensors: list(integer(0, rows - 1))(fields["tensors"], `${place2}.tensors`) };
    };
    const layout = {
      tensors: {
        name: read(text, "name"),
        iteration: read(integer(-1), "iteration"),
        node: read(text, "node"),
        role: read(text, "role"),
        type: read(oneOf(TENSOR_TYPES), "type"),
        kind: read(oneOf(KINDS), "kind"),
        dtype: read(oneOf(DTYPES), "dtype"),
        stored: read(oneOf(DTYPES), "stored"),
        shape: read(list(integer(0)), "shape"),
        batch_dimension: read(orNull(integer(0)), "batch_dimension"),
        samples: read(integer(0), "samples"),
        operation: optional("operation"),
        module: optional("module"),
        shard: tensors["shard"] === void 0 ? new Array(rows).fill(null) : read(orNull(checkShard), "shard")
      },
      groups: list(group)(root["groups"], `${where}.groups`)
    };
    if (tensors["kept"] !== void 0) {
      layout.tensors.kept = read(orNull(list(integer(0))), "kept");
    }
    if (tensors["aggregates"] !== void 0) {
      layout.tensors.aggregates = read(orNull(oneOf(DTYPES)), "aggregates");
    }
    layout.tensors.batch_dimension.forEach((dimension, k) => {
      if (dimension !== null && dimension >= (layout.tensors.shape[k]?.length ?? 0)) {
        fail(`${where}.tensors.batch_dimension[${k}]`, "a dimension of the tensor");
      }
    });
    return layout;
  }
  function checkShard(value, where) {
    const shard = object(value, where);
    const count2 = integer(1)(shard["count"], `${where}.count`);
    return {
      shape: list(integer(0))(shard["shape"], `${where}.shape`),
      index: integer(0, count2 - 1)(shard["index"], `${where}.index`),
      count: count2
    };
  }
  function parseGraph(value, where) {
    const root = object(value, where);
    const nodes = object(root["nodes"], `${where}.nodes`);
    const columns = object(root["columns"], `${where}.columns`);
    const tensors = object(root["tensors"], `${where}.tensors`);
    const nodeCount = rowsOf(nodes, "name", `${where}.nodes`);
    const tensorCount = rowsOf(tensors, "name", `${where}.tensors`);
    const heading = list(text)(columns["heading"], `${where}.columns.heading`);
    const node = (check, key) => column(check, nodeCount)(nodes[key], `${where}.nodes.${key}`);
    const tensor = (check, key) => column(check, tensorCount)(tensors[key], `${where}.tensors.${key}`);
    const edges = rowsOf(root, "from", where);
    return {
      nodes: {
        name: node(text, "name"),
        type: node(oneOf(TENSOR_TYPES), "type"),
        label: node(text, "label"),
        column: node(integer(0, heading.length - 1), "column"),
        row: node(integer(0, nodeCount - 1), "row")
      },
      columns: { heading },
      tensors: {
        name: tensor(text, "name"),
        node: tensor(integer(0, nodeCount - 1), "node"),
        role: tensor(text, "role"),
        record_name: tensor(text, "record_name"),
        record_iteration: tensor(integer(-1), "record_iteration")
      },
      from: column(integer(0, tensorCount - 1), edges)(root["from"], `${where}.from`),
      to: column(integer(0, tensorCount - 1), edges)(root["to"], `${where}.to`),
      without_gradient: ascending(edges)(root["without_gradient"] ?? [], `${where}.without_gradient`)
    };
  }
  function parseNetwork(value, where) {
    const root = object(value, where);
    const modules = list((item2, place2) => {
      const fields = object(item2, place2);
      return { name: text(fields["name"], `${place2}.name`), type: text(fields["type"], `${place2}.type`), parent: integer(-1)(fields["parent"], `${place2}.parent`) };
    })(root["modules"], `${where}.modules`);
    modules.forEach((module, k) => {
      if (module.parent >= k) {
        fail(`${where}.modules[${k}].parent`, "an earlier module");
      }
    });
    const parameters = list((item2, place2) => {
      const fields = object(item2, place2);
      return {
        name: text(fields["name"], `${place2}.name`),
        module: integer(0, modules.length - 1)(fields["module"], `${place2}.module`),
        shape: list(integer(0))(fields["shape"], `${place2}.shape`),
        dtype: text(fields["dtype"], `${place2}.dtype`),
        requires_grad: flag(fields["requires_grad"], `${place2}.requires_grad`),
        alias_of: orNull(text)(fields["alias_of"], `${place2}.alias_of`)
      };
    })(root["parameters"], `${where}.parameters`);
    const optimizer = (item2, place2) => {
      const fields = object(item2, place2);
      return {
        name: text(fields["name"], `${place2}.name`),
        type: text(fields["type"], `${place2}.type`),
        groups: list((group, where2) => checkOptimizerGroup(group, parameters.length, where2))(fields["groups"], `${place2}.groups`)
      };
    };
    return { modules, parameters, optimizers: orNull(list(optimizer))(root["optimizers"], `${where}.optimizers`) };
  }
  function checkOptimizerGroup(value, parameterCount, where) {
    const group = object(value, where);
    const setting = (item2, place2) => item2 === null || typeof item2 === "boolean" || typeof item2 === "string" ? item2 : number(item2, place2);
    const options = Object.entries(object(group["options"] ?? {}, `${where}.options`));
    return {
      parameters: list(integer(0, parameterCount - 1))(group["parameters"], `${where}.parameters`),
      // Built from entries, so that a key such as __proto__ is a key.
      options: Object.fromEntries(options.map(([key, item2]) => [key, setting(item2, `${where}.options`)]))
    };
  }
  function parseNotes(value, where) {
    return list((item2, place2) => {
      const fields = object(item2, place2);
      return { text: text(fields["text"], `${place2}.text`), step: orNull(integer(0))(fields["step"], `${place2}.step`) };
    })(value, where);
  }
  function parseCurves(value, where) {
    return list((item2, place2) => {
      const fields = object(item2, place2);
      const t = list(number)(fields["t"], `${place2}.t`);
      return {
        group: text(fields["group"], `${place2}.group`),
        name: text(fields["name"], `${place2}.name`),
        type: text(fields["type"], `${place2}.type`),
        t,
        v: column(number, t.length)(fields["v"], `${place2}.v`)
      };
    })(value, where);
  }
  function parseGaps(value, where) {
    return list((item2, place2) => {
      const fields = object(item2, place2);
      return {
        step: orNull(integer(0))(fields["step"], `${place2}.step`),
        iteration: orNull(integer(-1))(fields["iteration"], `${place2}.iteration`),
        group: orNull(text)(fields["group"], `${place2}.group`),
        tensor: orNull(text)(fields["tensor"], `${place2}.tensor`),
        reason: text(fields["reason"], `${place2}.reason`)
      };
    })(value, where);
  }

  // src/data/facts.ts
  function parseFacts(value, where) {
    const root = object(value, where);
    return {
      session: integer(0)(root["session"] ?? 0, `${where}.session`),
      learning_rates: orNull(list(list(number)))(root["learning_rates"], `${where}.learning_rates`),
      gradients: list(checkGradients)(root["gradients"] ?? [], `${where}.gradients`),
      held_bytes: orNull(integer(0))(root["held_bytes"], `${where}.held_bytes`),
      module_runs: integer(-1)(root["module_runs"] ?? -1, `${where}.module_runs`),
      parameter_list: integer(-1)(root["parameter_list"] ?? -1, `${where}.parameter_list`)
    };
  }
  function checkGradients(value, where) {
    const facts = object(value, where);
    return {
      group: text(facts["group"], `${where}.group`),
      backward_passes: orNull(integer(0))(facts["backward_passes"], `${where}.backward_passes`),
      loss_scale: orNull(number)(facts["loss_scale"], `${where}.loss_scale`),
      changed_in_place_by: orNull(list(text))(facts["changed_in_place_by"], `${where}.changed_in_place_by`),
      averaged_over_ranks: orNull(flag)(facts["averaged_over_ranks"], `${where}.averaged_over_ranks`)
    };
  }
  function parseModuleRuns(value, where) {
    const root = object(value, where);
    const rows = rowsOf(root, "module", where);
    return {
      module: ascending(Number.MAX_SAFE_INTEGER)(root["module"], `${where}.module`),
      training: column(flag, rows)(root["training"], `${where}.training`),
      calls: column(integer(0), rows)(root["calls"], `${where}.calls`)
    };
  }
  function parseParameterList(value, where) {
    return { parameter: ascending(Number.MAX_SAFE_INTEGER)(object(value, where)["parameter"], `${where}.parameter`) };
  }

  // src/data/numbers.ts
  var ELEMENT_TYPES = {
    F64: { width: 8, read: (view, offset) => view.getFloat64(offset, true) },
    F32: { width: 4, read: (view, offset) => view.getFloat32(offset, true) },
    F16: { width: 2, read: (view, offset) => halfToNumber(view.getUint16(offset, true)) },
    BF16: { width: 2, read: (view, offset) => bfloatToNumber(view.getUint16(offset, true)) },
    I64: { width: 8, read: (view, offset) => narrow(view.getBigInt64(offset, true)) },
    I32: { width: 4, read: (view, offset) => view.getInt32(offset, true) },
    I16: { width: 2, read: (view, offset) => view.getInt16(offset, true) },
    I8: { width: 1, read: (view, offset) => view.getInt8(offset) },
    U64: { width: 8, read: (view, offset) => narrow(view.getBigUint64(offset, true)) },
    U32: { width: 4, read: (view, offset) => view.getUint32(offset, true) },
    U16: { width: 2, read: (view, offset) => view.getUint16(offset, true) },
    U8: { width: 1, read: (view, offset) => view.getUint8(offset) },
    BOOL: { width: 1, read: (view, offset) => view.getUint8(offset) }
  };
  function elementType(dtype) {
    const type = Object.hasOwn(ELEMENT_TYPES, dtype) ? ELEMENT_TYPES[dtype] : void 0;
    if (type === void 0) {
      throw new DamagedBundleError(`The bundle holds numbers of the unknown type ${dtype}.`);
    }
    return type;
  }
  function halfToNumber(bits) {
    const sign = bits & 32768 ? -1 : 1;
    const exponent = bits >> 10 & 31;
    const fraction = bits & 1023;
    if (exponent === 0) {
      return sign * fraction * 2 ** -24;
    }
    if (exponent === 31) {
      return fraction === 0 ? sign * Infinity : NaN;
    }
    return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
  }
  var BFLOAT_VIEW = new DataView(new ArrayBuffer(4));
  function bfloatToNumber(bits) {
    BFLOAT_VIEW.setUint16(0, bits);
    return BFLOAT_VIEW.getFloat32(0);
  }
  function narrow(value) {
    const number2 = Number(value);
    return Number.isSafeInteger(number2) ? number2 : value;
  }

  // src/data/lanes.ts
  function placeArrays(set, strings, firstChunks, table, expected) {
    const ends = new Map(LANE_WIDTHS.map((width) => [width, 0]));
    const placed = /* @__PURE__ */ new Map();
    set.name.forEach((position, k) => {
      const name = strings[position];
      const dtype = strings[set.dtype[k]];
      const count2 = set.count[k];
      const { width } = elementType(dtype);
      const offset = ends.get(width);
      ends.set(width, offset + count2);
      placed.set(name, { dtype, count: count2, firstChunk: firstChunks[width], offset });
    });
    for (const [name, count2] of expected) {
      const array = placed.get(name);
      if (array?.count !== count2 || name !== "counts" && !name.endsWith(`.${array.dtype}`)) {
        throw new DamagedBundleError(`The numbers of this step do not fit its description (${name}).`);
      }
    }
    for (const [width, elements] of ends) {
      checkLane(width, elements * width, firstChunks[width], table);
    }
    return placed;
  }
  function checkLane(width, bytes, firstChunk, table) {
    for (let id = firstChunk, rest = bytes; rest > 0; id++, rest -= CHUNK_BYTES) {
      if (id < 0 || table.width[id] !== width || table.bytes[id] !== Math.min(rest, CHUNK_BYTES)) {
        throw new DamagedBundleError(`There are no numbers where they should be (part ${id}).`);
      }
    }
  }
  function numbersOf(chunks, array, start2, count2, stride = 1) {
    const { width, read } = elementType(array.dtype);
    const perChunk = CHUNK_BYTES / width;
    const chunkOf = (k) => array.firstChunk + Math.floor((array.offset + start2 + k * stride) / perChunk);
    let viewed = -1;
    let view;
    return {
      length: count2,
      at(k) {
        const id = chunkOf(k);
        if (id !== viewed || view === void 0) {
          const bytes = chunks.peek(id);
          view = bytes && new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
          viewed = id;
        }
        const offset = (array.offset + start2 + k * stride) % perChunk * width;
        return view && read(view, offset);
      },
      chunks(from, to) {
        const ids = [];
        if (to > from) {
          for (let id = chunkOf(from), last = chunkOf(to - 1); id <= last; id++) {
            ids.push(id);
          }
        }
        return ids;
      },
      dtype: array.dtype,
      parts(from, to) {
        const parts = [];
        for (let k = from; stride === 1 && k < to; ) {
          const place2 = array.offset + start2 + k;
          const end = Math.min(to, k + perChunk - place2 % perChunk);
          const [id, first, length] = [chunkOf(k), place2 % perChunk * width, (end - k) * width];
          parts.push({ chunk: id, start: k, end, bytes: () => chunks.peek(id)?.subarray(first, first + length) });
          k = end;
        }
        return parts;
      }
    };
  }
  var NO_NUMBERS = { length: 0, at: () => void 0, chunks: () => [], dtype: "F32", parts: () => [] };

  // src/data/records.ts
  var BATCH_AGGREGATIONS = ["batch_mean", "batch_abs_max", "batch_std"];
  var NO_BATCH_AGGREGATION = "has_no_batch_dimension";
  var FLAG_GRADIENT_ABSENT = 1;
  var FLAG_RANKS_DIFFER = 2;
  var NUMBERS_PER_COUNT = 5;
  var STATISTICS = ["mean", "abs_mean", "std", "abs_max"];
  var ITEMS = {
    neuron: STATISTICS,
    kpis: STATISTICS,
    kpis_and_svd: [...STATISTICS, "svd"],
    single_value: ["single_value"]
  };
  function itemsOfCount(count2) {
    return ITEMS[count2 === 1 ? "single_value" : count2 === 5 ? "kpis_and_svd" : "kpis"];
  }
  var WIDE_DTYPES = /* @__PURE__ */ new Set(["F64", "I64", "I32", "U64", "U32"]);
  function recordTable(layout) {
    const arrayLengths = /* @__PURE__ */ new Map();
    const take = (array, count2) => {
      const start2 = arrayLengths.get(array) ?? 0;
      if (count2 > 0) {
        arrayLengths.set(array, safe(start2 + count2));
      }
      return start2;
    };
    const records = [];
    const byGroup = /* @__PURE__ */ new Map();
    for (const group of layout.groups) {
      const members = /* @__PURE__ */ new Map();
      for (const tensor of group.tensors) {
        const record = placeRecord(layout, tensor, records.length, take);
        records.push(record);
        members.set(tensor, record);
      }
      byGroup.set(group.name, members);
    }
    if (records.length > 0) {
      arrayLengths.set("counts", records.length * NUMBERS_PER_COUNT);
    }
    return { records, arrayLengths, byGroup };
  }
  function placeRecord(layout, tensor, number2, take) {
    const { tensors } = layout;
    const kind = tensors.kind[tensor];
    const stored = tensors.stored[tensor];
    const batchDimension = tensors.batch_dimension[tensor] ?? null;
    const hasBatch = batchDimension !== null;
    const samples = hasBatch ? tensors.samples[tensor] : 0;
    const items = ITEMS[kind];
    const aggregationCount = hasBatch ? BATCH_AGGREGATIONS.length + samples : 1;
    const valueCount = safe(tensors.shape[tensor].reduce((product, size, axis) => axis === batchDimension ? product : product * size, 1));
    const precision = WIDE_DTYPES.has(tensors.dtype[tensor]) ? "F64" : "F32";
    const kept = tensors.kept?.[tensor] ?? null;
    const aggregatesDtype = tensors.aggregates === void 0 ? precision : tensors.aggregates[tensor] ?? null;
    const aggregateCount = kind === "neuron" && hasBatch && aggregatesDtype !== null ? safe(BATCH_AGGREGATIONS.length * valueCount) : 0;
    const storedCount = kind === "neuron" ? safe((kept === null ? hasBatch ? samples : 1 : kept.length) * valueCount) : 0;
    const extrema = take(`extrema.${precision}`, 2);
    const statistics = take(`statistics.${precision}`, safe(items.length * aggregationCount));
    const aggregates = take(`aggregates.${aggregatesDtype ?? precision}`, aggregateCount);
    const values = take(`values.${stored}`, storedCount);
    return {
      tensor,
      number: number2,
      items,
      aggregationCount,
      hasBatch,
      samples,
      valueCount,
      precision,
      stored,
      kept,
      aggregatesDtype,
      extrema,
      statistics,
      aggregates: aggregateCount > 0 ? aggregates : -1,
      values: storedCount > 0 ? values : -1
    };
  }
  function safe(size) {
    if (!Number.isSafeInteger(size)) {
      throw new DamagedBundleError("A tensor of this step has an impossible shape.");
    }
    return size;
  }

  // src/data/series.ts
  var EXTREMA = 2;
  var DTYPES2 = { 4: "F32", 8: "F64" };
  var COUNT_DTYPES = { 4: "I32", 8: "I64" };
  function parseSeries(value, chunks, where) {
    const root = object(value, where);
    const strings = list(text)(root["strings"], `${where}.strings`);
    const stepLists = list(ascending(Number.MAX_SAFE_INTEGER))(root["step_lists"], `${where}.step_lists`);
    const table = object(root["records"], `${where}.records`);
    const rows = rowsOf(table, "group", `${where}.records`);
    const read = (key, low, high) => column(integer(low, high), rows)(table[key], `${where}.records.${key}`);
    const oneOfNumbers = (key, allowed) => {
      const numbers = read(key, 0);
      return numbers.every((number2) => allowed.includes(number2)) ? numbers : fail(`${where}.records.${key}`, `one of ${allowed.join(", ")}`);
    };
    const lane = (key) => integer(-1, chunks.bytes.length - 1)(root[key], `${where}.${key}`);
    const series = {
      strings,
      step_lists: stepLists,
      lane8: lane("lane8"),
      lane4: lane("lane4"),
      records: {
        group: read("group", 0, strings.length - 1),
        name: read("name", 0, strings.length - 1),
        iteration: read("iteration", -1),
        items: oneOfNumbers("items", [1, 4, 5]),
        aggregations: oneOfNumbers("aggregations", [1, 3]),
        steps: read("steps", 0, stepLists.length - 1),
        width: oneOfNumbers("width", [4, 8]),
        start: read("start", 0),
        counts_width: oneOfNumbers("counts_width", [4, 8]),
        counts_start: read("counts_start", 0)
      }
    };
    const ends = /* @__PURE__ */ new Map([[8, 0], [4, 0]]);
    const take = (bytes, start2, count2) => void ends.set(bytes, Math.max(ends.get(bytes) ?? 0, start2 + count2));
    const { records } = series;
    for (let k = 0; k < rows; k++) {
      const steps = stepLists[records.steps[k]].length;
      take(records.width[k], records.start[k], (records.items[k] * records.aggregations[k] + EXTREMA) * steps);
      take(records.counts_width[k], records.counts_start[k], NUMBERS_PER_COUNT * steps);
    }
    checkLane(8, (ends.get(8) ?? 0) * 8, series.lane8, chunks);
    checkLane(4, (ends.get(4) ?? 0) * 4, series.lane4, chunks);
    return series;
  }
  var SeriesOfTrial = class {
    constructor(series, chunks) {
      this.series = series;
      this.chunks = chunks;
      series.records.name.forEach((name, k) => {
        const key = tensorKey(series.strings[name], series.records.iteration[k]);
        const known = this.positions.get(key);
        if (known === void 0) {
          this.positions.set(key, [k]);
        } else {
          known.push(k);
        }
      });
    }
    series;
    chunks;
    positions = /* @__PURE__ */ new Map();
    /** The records of a tensor: one per group, and more where its kind, precision or batch dimension is not always the same. */
    records(name, iteration) {
      return (this.positions.get(tensorKey(name, iteration)) ?? []).map((k) => this.record(k));
    }
    record(k) {
      const { records, strings, step_lists: stepLists, lane4, lane8 } = this.series;
      const steps = stepLists[records.steps[k]];
      const [aggregations, itemCount] = [records.aggregations[k], records.items[k]];
      const row = (width, dtypes, start2, number2) => {
        const offset = start2 + number2 * steps.length;
        return numbersOf(this.chunks, { dtype: dtypes[width], count: steps.length, firstChunk: width === 8 ? lane8 : lane4, offset }, 0, steps.length);
      };
      const numbers = (number2) => row(records.width[k], DTYPES2, records.start[k], number2);
      return {
        group: strings[records.group[k]],
        items: itemsOfCount(itemCount),
        aggregations,
        steps,
        statistic: (item2, aggregation) => numbers(item2 * aggregations + aggregation),
        extreme: (end) => numbers(itemCount * aggregations + end),
        count: (number2) => row(records.counts_width[k], COUNT_DTYPES, records.counts_start[k], number2)
      };
    }
  };
  function tensorKey(name, iteration) {
    return `${iteration}/${name}`;
  }

  // src/data/step_numbers.ts
  var PARAMETER_ARRAYS = ["parameters.F32", "parameters.F64"];
  var StepNumbers = class {
    constructor(chunks, arrays) {
      this.chunks = chunks;
      this.arrays = arrays;
    }
    chunks;
    arrays;
    /** The statistics of a record under aggregation number `aggregation`, one per item. Stored as `[I, A]`. */
    statistics(record, aggregation) {
      return this.slice(`statistics.${record.precision}`, record.statistics + aggregation, record.items.length, record.aggregationCount);
    }
    /** The values of a record under an aggregation: from the aggregates `[3, N]` or, for a sample, from the values `[S, N]`. */
    neurons(record, aggregation) {
      const count2 = record.valueCount;
      if (record.hasBatch && aggregation < BATCH_AGGREGATIONS.length) {
        return record.aggregates < 0 ? NO_NUMBERS : this.slice(`aggregates.${record.aggregatesDtype ?? record.precision}`, record.aggregates + aggregation * count2, count2);
      }
      const place2 = record.hasBatch ? aggregation - BATCH_AGGREGATIONS.length : 0;
      const sample = record.kept === null ? place2 : record.kept.indexOf(place2);
      return record.values < 0 || sample < 0 ? NO_NUMBERS : this.slice(`values.${record.stored}`, record.values + sample * count2, count2);
    }
    /** Whether values of a record under an aggregation were recorded, but left out of the bundle on purpose. */
    isLeftOut(record, aggregation) {
      if (record.hasBatch && aggregation < BATCH_AGGREGATIONS.length) {
        return record.aggregatesDtype === null;
      }
      return record.kept !== null && !record.kept.includes(record.hasBatch ? aggregation - BATCH_AGGREGATIONS.length : 0);
    }
    /** Undefined while not loaded. */
    facts(record) {
      const counts = this.slice("counts", record.number * NUMBERS_PER_COUNT, NUMBERS_PER_COUNT);
      const extrema = this.slice(`extrema.${record.precision}`, record.extrema, 2);
      const numbers = [0, 1, 2, 3, 4].map((k) => counts.at(k));
      const [smallest, largest] = [extrema.at(0), extrema.at(1)];
      const [nan, positiveInfinity, negativeInfinity, zeros, flags] = numbers;
      if (nan === void 0 || positiveInfinity === void 0 || negativeInfinity === void 0 || zeros === void 0 || flags === void 0) {
        return void 0;
      }
      if (smallest === void 0 || largest === void 0) {
        return void 0;
      }
      const has = (flag2) => (Number(flags) & flag2) !== 0;
      return { nan, positiveInfinity, negativeInfinity, zeros, smallest, largest, gradientAbsent: has(FLAG_GRADIENT_ABSENT), ranksDiffer: has(FLAG_RANKS_DIFFER) };
    }
    /** What the step says about parameters: their norms, those of their updates, and what earlier steps left in their gradients; `[3, P]`. */
    get parameters() {
      const name = PARAMETER_ARRAYS.find((candidate) => this.arrays.has(candidate));
      return name === void 0 ? NO_NUMBERS : this.slice(name, 0, this.arrays.get(name)?.count ?? 0);
    }
    /** The chunks needed to show everything about a record but its values. */
    overviewChunks(record, aggregation) {
      const statistics = this.statistics(record, aggregation);
      return [
        ...this.slice("counts", record.number * NUMBERS_PER_COUNT, NUMBERS_PER_COUNT).chunks(0, NUMBERS_PER_COUNT),
        ...this.slice(`extrema.${record.precision}`, record.extrema, 2).chunks(0, 2),
        ...statistics.chunks(0, statistics.length)
      ];
    }
    slice(name, start2, count2, stride = 1) {
      const array = this.arrays.get(name);
      return array === void 0 ? NO_NUMBERS : numbersOf(this.chunks, array, start2, count2, stride);
    }
  };

  // src/data/bundle.ts
  var LOADING = { state: "loading" };
  var DOCUMENTS = 2048;
  var Bundle = class {
    constructor(index, read, onChange) {
      this.index = index;
      this.chunks = new ChunkStore({ table: index.chunks, read, onChange });
    }
    index;
    chunks;
    parsed = /* @__PURE__ */ new Map();
    tables = /* @__PURE__ */ new WeakMap();
    text(position) {
      return this.index.strings[position] ?? "";
    }
    /** A step's type of execution. */
    typeOf(trial, step) {
      return this.text(trial.steps.type[step] ?? -1);
    }
    network = (trial) => this.document(trial.network, null, parseNetwork, "The network");
    notes = (trial) => this.document(trial.notes, null, parseNotes, "The list of notes");
    curves = (trial) => this.document(trial.curves, null, parseCurves, "The list of curves");
    gaps = (trial) => this.document(trial.gaps, null, parseGaps, "The list of gaps");
    /** What the trial has over time; null where there is nothing. */
    series(trial) {
      return trial.series < 0 ? { state: "ready", value: null } : this.document(trial.series, null, (value, where) => new SeriesOfTrial(parseSeries(value, this.index.chunks, where), this.chunks), "The list of what there is over time");
    }
    layout(number2) {
      return this.listed(this.index.layouts, number2, parseLayout, "The layout");
    }
    graph(number2) {
      return this.listed(this.index.structures, number2, parseGraph, "The graph");
    }
    /** What is known of a step besides its tensors; null where nothing is. */
    facts(trial, step) {
      const number2 = trial.steps.facts[step] ?? -1;
      return number2 < 0 ? { state: "ready", value: null } : this.listed(this.index.facts, number2, parseFacts, "The facts about a step");
    }
    /** Which modules ran, given the position that a step's facts name. */
    moduleRuns(number2) {
      return number2 < 0 ? { state: "ready", value: null } : this.listed(this.index.module_runs, number2, parseModuleRuns, "The list of modules");
    }
    /** Which parameters a step has numbers about, given the position that its facts name. */
    parameterList(number2) {
      return number2 < 0 ? { state: "ready", value: null } : this.listed(this.index.parameter_lists, number2, parseParameterList, "The list of parameters");
    }
    /** The graphs of a step's iterations; null where a graph was not recorded. */
    graphs(trial, step) {
      const set = this.index.structure_sets[trial.steps.structure_set[step] ?? -1] ?? [];
      return all(set.map((number2) => number2 < 0 ? { state: "ready", value: null } : this.graph(number2)));
    }
    /** A step's layout and numbers, without waiting for the numbers themselves. */
    step(trial, step) {
      const layout = this.layout(trial.steps.layout[step] ?? -1);
      if (layout.state !== "ready") {
        return layout;
      }
      try {
        return { state: "ready", value: this.placeStep(trial, step, layout.value) };
      } catch (error) {
        return failed(error);
      }
    }
    placeStep(trial, step, layout) {
      const table = this.tables.get(layout) ?? recordTable(layout);
      this.tables.set(layout, table);
      const { steps } = trial;
      const firstChunks = { 8: steps.lane8[step] ?? -1, 4: steps.lane4[step] ?? -1, 2: steps.lane2[step] ?? -1, 1: steps.lane1[step] ?? -1 };
      const set = this.index.array_sets[steps.array_set[step] ?? -1] ?? { name: [], dtype: [], count: [] };
      const arrays = placeArrays(set, this.index.strings, firstChunks, this.index.chunks, table.arrayLengths);
      return { layout, table, numbers: new StepNumbers(this.chunks, arrays) };
    }
    listed(places, number2, parse, what) {
      const [chunk, position] = [places.chunk[number2], places.position[number2]];
      return chunk === void 0 || position === void 0 ? failed(new DamagedBundleError(`${what} ${number2} does not exist.`)) : this.document(chunk, position, parse, `${what} ${number2}`);
    }
    /** A document that is a whole chunk, or a member of the list in a chunk. */
    document(chunk, position, parse, what) {
      const key = `${chunk}/${position ?? ""}`;
      if (!this.parsed.has(key)) {
        const whole = this.json(chunk);
        if (whole.state !== "ready") {
          return whole;
        }
        try {
          const value = position === null ? whole.value : Array.isArray(whole.value) ? whole.value[position] : void 0;
          this.remember(key, parse(value, what));
        } catch (error) {
          return failed(error);
        }
      }
      return { state: "ready", value: this.parsed.get(key) };
    }
    json(chunk) {
      const key = `${chunk}`;
      if (!this.parsed.has(key)) {
        const bytes = this.chunks.peek(chunk);
        if (bytes === void 0) {
          const error = this.chunks.failure(chunk);
          this.chunks.request([chunk]);
          return error === void 0 ? LOADING : { state: "failed", error };
        }
        try {
          this.remember(key, JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes)));
        } catch (error) {
          return failed(new DamagedBundleError(`Part ${chunk} of the data is not readable: ${messageOf(error)}.`));
        }
      }
      return { state: "ready", value: this.parsed.get(key) };
    }
    /** Keeps a document, and drops the one that was added first when there are too many. */
    remember(key, value) {
      this.parsed.set(key, value);
      if (this.parsed.size > DOCUMENTS) {
        for (const oldest of this.parsed.keys()) {
          this.parsed.delete(oldest);
          break;
        }
      }
    }
  };
  function failed(error) {
    return { state: "failed", error: error instanceof Error ? error : new Error(messageOf(error)) };
  }
  function all(parts) {
    const values = [];
    let loading = false;
    for (const part of parts) {
      if (part.state === "failed") {
        return part;
      }
      if (part.state === "ready") {
        values.push(part.value);
      } else {
        loading = true;
      }
    }
    return loading ? LOADING : { state: "ready", value: values };
  }

  // src/data/bundle_index.ts
  var LARGEST_CHUNK = 512 * 1024 * 1024;
  var NONE = -1;
  function parseIndex(source) {
    let parsed;
    try {
      parsed = JSON.parse(source);
    } catch (error) {
      throw new DamagedBundleError(`${messageOf(error)}.`);
    }
    const root = object(parsed, "The index");
    oneOf([FORMAT])(root["format"], "The format of the index");
    const version = integer(1)(root["version"], "The version of the index");
    if (version > VERSION) {
      throw new NewerBundleError(`This page holds data of version ${version}, and its viewer reads version ${VERSION}. Export the recording again.`);
    }
    return checkRoot(root, version);
  }
  function checkRoot(root, version) {
    const strings = list(text)(root["strings"], "strings");
    const chunks = checkChunks(root["chunks"]);
    const position = integer(0, strings.length - 1);
    const chunk = integer(0, chunks.bytes.length - 1);
    const layouts = checkPlaces(root["layouts"], chunk, "layouts");
    const structures = checkPlaces(root["structures"], chunk, "structures");
    const arraySets = list((value, where) => checkArraySet(value, position, where))(root["array_sets"], "array_sets");
    const sampleSets = list((value, where) => checkSampleSet(value, position, where))(root["sample_sets"], "sample_sets");
    const structureSets = list(list(integer(-1, structures.chunk.length - 1)))(root["structure_sets"], "structure_sets");
    const places = (key) => root[key] === void 0 ? { chunk: [], position: [] } : checkPlaces(root[key], chunk, key);
    const facts = places("facts");
    const limits = {
      chunk,
      lane: integer(-1, chunks.bytes.length - 1),
      type: position,
      layout: integer(0, layouts.chunk.length - 1),
      structure_set: integer(0, structureSets.length - 1),
      sample_set: integer(0, sampleSets.length - 1),
      array_set: integer(0, arraySets.length - 1),
      triggered: integer(-1, strings.length - 1),
      facts: integer(-1, facts.chunk.length - 1)
    };
    return {
      format: FORMAT,
      version,
      generator: text(root["generator"], "generator"),
      title: text(root["title"], "title"),
      description: text(root["description"], "description"),
      group: text(root["group"], "group"),
      content_digest: text(root["content_digest"], "content_digest"),
      strings,
      chunks,
      array_sets: arraySets,
      sample_sets: sampleSets,
      structure_sets: structureSets,
      layouts,
      structures,
      facts,
      module_runs: places("module_runs"),
      parameter_lists: places("parameter_lists"),
      trials: checkTrials(root["trials"], limits),
      visualizations: list(text)(root["visualizations"] ?? [], "visualizations"),
      about: checkAbout(root["about"])
    };
  }
  function checkChunks(value) {
    const table = object(value, "chunks");
    const rows = rowsOf(table, "bytes", "chunks");
    const chunks = {
      bytes: column(integer(0, LARGEST_CHUNK), rows)(table["bytes"], "chunks.bytes"),
      crc32: column(integer(0, 4294967295), rows)(table["crc32"], "chunks.crc32"),
      codec: column(integer(0, 1), rows)(table["codec"], "chunks.codec"),
      width: column(integer(1, 8), rows)(table["width"], "chunks.width"),
      inline: column(integer(0, 1), rows)(table["inline"], "chunks.inline")
    };
    chunks.bytes.forEach((bytes, k) => {
      if (chunks.width[k] !== 1 && (bytes > CHUNK_BYTES || bytes % (chunks.width[k] ?? 1) !== 0)) {
        throw new DamagedBundleError(`chunks.bytes[${k}] does not fit its width.`);
      }
    });
    return chunks;
  }
  function checkPlaces(value, chunk, where) {
    const table = object(value, where);
    const rows = rowsOf(table, "chunk", where);
    return {
      chunk: column(chunk, rows)(table["chunk"], `${where}.chunk`),
      position: column(integer(0), rows)(table["position"], `${where}.position`)
    };
  }
  function checkArraySet(value, position, where) {
    const table = object(value, where);
    const rows = rowsOf(table, "name", where);
    return {
      name: column(position, rows)(table["name"], `${where}.name`),
      dtype: column(position, rows)(table["dtype"], `${where}.dtype`),
      count: column(integer(0), rows)(table["count"], `${where}.count`)
    };
  }
  function checkSampleSet(value, position, where) {
    const table = object(value, where);
    const rows = rowsOf(table, "index", where);
    return {
      index: column(integer(0), rows)(table["index"], `${where}.index`),
      label: column(position, rows)(table["label"], `${where}.label`)
    };
  }
  function checkTrials(value, limits) {
    const trials = list((item2, where) => checkTrial(item2, limits, where))(value, "trials");
    const known = /* @__PURE__ */ new Set();
    trials.forEach(({ name, rank }, k) => {
      const key = `${rank}/${name}`;
      if (known.has(key)) {
        throw new DamagedBundleError(`trials[${k}] has the name and the rank of another one.`);
      }
      known.add(key);
    });
    return trials;
  }
  function checkTrial(value, limits, where) {
    const trial = object(value, where);
    return {
      name: text(trial["name"], `${where}.name`),
      rank: orNull(integer(0))(trial["rank"], `${where}.rank`),
      steps: checkSteps(trial["steps"], limits, `${where}.steps`),
      network: limits.chunk(trial["network"], `${where}.network`),
      notes: limits.chunk(trial["notes"], `${where}.notes`),
      curves: limits.chunk(trial["curves"], `${where}.curves`),
      gaps: limits.chunk(trial["gaps"], `${where}.gaps`),
      series: limits.lane(trial["series"] ?? NONE, `${where}.series`)
    };
  }
  function checkSteps(value, limits, where) {
    const table = object(value, where);
    const rows = rowsOf(table, "step", where);
    const read = (check, key) => column(check, rows)(table[key], `${where}.${key}`);
    const optional = (check, key) => table[key] === void 0 ? new Array(rows).fill(NONE) : read(check, key);
    const step = read(integer(0), "step");
    if (step.some((number2, k) => k > 0 && number2 <= (step[k - 1] ?? 0))) {
      throw new DamagedBundleError(`${where}.step is not in ascending order.`);
    }
    return {
      step,
      type: read(limits.type, "type"),
      batch_size: read(integer(0), "batch_size"),
      time: read(orNull(number), "time"),
      layout: read(limits.layout, "layout"),
      structure_set: read(limits.structure_set, "structure_set"),
      sample_set: read(limits.sample_set, "sample_set"),
      array_set: read(limits.array_set, "array_set"),
      lane8: read(limits.lane, "lane8"),
      lane4: read(limits.lane, "lane4"),
      lane2: read(limits.lane, "lane2"),
      lane1: read(limits.lane, "lane1"),
      gaps: read(integer(0), "gaps"),
      triggered: optional(limits.triggered, "triggered"),
      facts: optional(limits.facts, "facts")
    };
  }
  function checkAbout(value) {
    const about = object(value, "about");
    const recording = (item2, where) => {
      const fields = object(item2, where);
      const field = (key) => text(fields[key] ?? "", `${where}.${key}`);
      return {
        trial: field("trial"),
        rank: integer(0)(fields["rank"] ?? 0, `${where}.rank`),
        world_size: integer(1)(fields["world_size"] ?? 1, `${where}.world_size`),
        writer: field("writer"),
        torch_version: field("torch_version"),
        started: field("started"),
        sessions: list(checkSession)(fields["sessions"] ?? [], `${where}.sessions`),
        left_behind: integer(0)(fields["left_behind"] ?? 0, `${where}.left_behind`)
      };
    };
    return {
      recordings: list(recording)(about["recordings"] ?? [], "about.recordings"),
      omissions: list(text)(about["omissions"] ?? [], "about.omissions"),
      problems: list(text)(about["problems"] ?? [], "about.problems")
    };
  }
  function checkSession(value, where) {
    const session = object(value, where);
    return {
      first: orNull(integer(0))(session["first"], `${where}.first`),
      last: orNull(integer(0))(session["last"], `${where}.last`),
      steps: integer(0)(session["steps"], `${where}.steps`),
      closed: orNull(flag)(session["closed"], `${where}.closed`)
    };
  }

  // src/data/source.ts
  var POLL_MILLISECONDS = 25;
  var ChunkSource = class {
    constructor(page, inline) {
      this.page = page;
      this.inline = inline;
    }
    page;
    inline;
    delivered = /* @__PURE__ */ new Map();
    /** Receives the text from a script; the page's global of this name leads here. */
    deliver(id, base64) {
      this.delivered.set(id, base64);
    }
    /** The base64 of a chunk. Rejects with `MissingChunkError`. */
    async read(id) {
      const template = await this.readTemplate(id);
      if (template !== null) {
        return template;
      }
      if (this.inline[id] === 1) {
        throw new MissingChunkError("The page has been cut off: a part of its data is missing. Get the whole file again.", false);
      }
      await this.page.runScript(`data/c${String(id).padStart(6, "0")}.js`).catch(() => {
        throw new MissingChunkError("A file of the data folder is missing.", true);
      });
      const base64 = this.delivered.get(id);
      this.delivered.delete(id);
      if (base64 === void 0) {
        throw new MissingChunkError("A file of the data folder does not hold what its name says.", true);
      }
      return base64;
    }
    /** A template that is still being parsed is only complete once something follows it. */
    async readTemplate(id) {
      for (; ; ) {
        const parsing = this.page.parsing();
        const element = this.page.find(`chunk-${id}`);
        if (element !== null && (element.followed || !parsing)) {
          return element.text();
        }
        if (!parsing || element === null && this.inline[id] !== 1) {
          return null;
        }
        await this.page.wait(POLL_MILLISECONDS);
      }
    }
  };
  function browserPage() {
    return {
      find(id) {
        const element = document.getElementById(id);
        return element instanceof HTMLTemplateElement ? { text: () => element.content.textContent ?? "", followed: element.nextSibling !== null } : null;
      },
      parsing: () => document.readyState === "loading",
      runScript: (path) => new Promise((resolve2, reject) => {
        const script = document.createElement("script");
        script.src = path;
        script.onload = () => (script.remove(), resolve2());
        script.onerror = () => (script.remove(), reject(new Error(path)));
        document.head.append(script);
      }),
      wait: (milliseconds) => new Promise((resolve2) => setTimeout(resolve2, milliseconds))
    };
  }

  // src/state/store.ts
  var import_signals = __toESM(require_signals(), 1);

  // src/state/listing.ts
  function graphsToShow(layout, graphs) {
    const last = layout.tensors.iteration.reduce((largest, iteration) => Math.max(largest, iteration), -1);
    const count2 = graphs.length > 0 ? graphs.length : layout.tensors.name.length > 0 ? Math.max(1, Math.min(last + 1, LONGEST_LISTING)) : 0;
    return Array.from({ length: count2 }, (_, iteration) => graphs[iteration] ?? listing(layout, iteration));
  }
  var LONGEST_LISTING = 1e4;
  function listing(layout, iteration) {
    const { tensors } = layout;
    const rows = tensors.name.map((_, k) => k).filter((k) => tensors.iteration[k] === iteration || tensors.iteration[k] === -1);
    const typeOf = new Map(rows.map((k) => [tensors.node[k], tensors.type[k]]));
    const columns = TENSOR_TYPES.map((type) => [...typeOf].filter(([, own]) => own === type).map(([node]) => node).sort()).filter((column2) => column2.length > 0);
    const names = columns.flat();
    const position = new Map(names.map((name, k) => [name, k]));
    return {
      nodes: {
        name: names,
        type: names.map((name) => typeOf.get(name)),
        label: names,
        column: columns.flatMap((column2, k) => column2.map(() => k)),
        row: columns.flatMap((column2) => column2.map((_, row) => row))
      },
      columns: { heading: columns.map(() => "") },
      tensors: {
        name: rows.map((k) => tensors.name[k]),
        node: rows.map((k) => position.get(tensors.node[k])),
        role: rows.map((k) => tensors.role[k]),
        record_name: rows.map((k) => tensors.name[k]),
        record_iteration: rows.map((k) => tensors.iteration[k])
      },
      from: [],
      to: [],
      without_gradient: []
    };
  }

  // src/state/selection.ts
  var ANY_TYPE = "any_value";
  var TRIGGERED = "__triggered";
  var ALL_RANKS = "all";
  var ONLY_RANK = "";
  var FORWARD = "forward";
  var RELAXABLE = ["role", "aggregation", "iteration", "node"];
  var ATTRIBUTE_NAMES = {
    trial: "trial",
    rank: "rank",
    recording: "recording type",
    stepType: "training step type",
    step: "training step",
    iteration: "iteration",
    node: "node",
    role: "role",
    aggregation: "batch or sample"
  };
  var SAMPLE_PREFIX = "sample_";
  function sampleAggregation(index) {
    return `${SAMPLE_PREFIX}${index}`;
  }

  // src/state/offers.ts
  function stepOffers(content, graphs, samples) {
    const { layout, table } = content;
    const recordings = layout.groups.map((group) => group.name);
    const tensorAt = new Map(layout.tensors.name.map((name, k) => [recordKey(name, layout.tensors.iteration[k]), k]));
    const byIteration = /* @__PURE__ */ new Map();
    const listOffers = (iteration, graph) => orderOfPreference(graph).map((row) => {
      const tensor = tensorAt.get(recordKey(graph.tensors.record_name[row], graph.tensors.record_iteration[row])) ?? -1;
      const records = recordings.map((recording) => table.byGroup.get(recording)?.get(tensor));
      return {
        iteration,
        node: graph.nodes.name[graph.tensors.node[row]],
        role: graph.tensors.role[row],
        name: graph.tensors.name[row],
        tensor,
        recordings: recordings.filter((_, k) => records[k] !== void 0),
        aggregations: aggregationsOf(records.find((record) => record !== void 0), samples)
      };
    });
    return {
      recordings,
      iterations: graphs.length,
      of(iteration, node) {
        const graph = graphs[iteration];
        let known = byIteration.get(iteration);
        if (known === void 0 && graph !== void 0) {
          const all3 = listOffers(iteration, graph);
          known = { all: all3, ofNode: perNode(all3) };
          byIteration.set(iteration, known);
        }
        return (node === void 0 ? known?.all : known?.ofNode.get(node)) ?? [];
      }
    };
  }
  function perNode(offers) {
    const found = /* @__PURE__ */ new Map();
    for (const offer of offers) {
      const own = found.get(offer.node);
      if (own === void 0) {
        found.set(offer.node, [offer]);
      } else {
        own.push(offer);
      }
    }
    return found;
  }
  function recordKey(name, iteration) {
    return `${iteration}/${name}`;
  }
  function orderOfPreference(graph) {
    const { tensors, nodes } = graph;
    const rank = (row) => {
      const node = tensors.node[row];
      return nodes.type[node] === "input" && !nodes.name[node].endsWith("*old") ? node : node + nodes.name.length;
    };
    return tensors.node.map((_, row) => row).sort((a, b) => rank(a) - rank(b));
  }
  function aggregationsOf(record, samples) {
    if (record === void 0) {
      return [];
    }
    if (!record.hasBatch) {
      return [NO_BATCH_AGGREGATION];
    }
    const recorded = Array.from({ length: record.samples }, (_, k) => sampleAggregation(samples.index[k] ?? k));
    return [...BATCH_AGGREGATIONS, ...recorded];
  }
  function agrees(offer, wanted) {
    return (wanted.node === void 0 || offer.node === wanted.node) && (wanted.role === void 0 || offer.role === wanted.role) && (wanted.recording === void 0 ? offer.recordings.length > 0 : offer.recordings.includes(wanted.recording)) && (wanted.aggregation === void 0 || offer.aggregations.includes(wanted.aggregation));
  }

  // src/state/open_step.ts
  var NO_SAMPLES = { index: [], label: [] };
  function openStep(bundle, trial, step) {
    const content = bundle.step(trial, step);
    const graphs = bundle.graphs(trial, step);
    if (content.state !== "ready") {
      return content;
    }
    if (graphs.state === "loading") {
      return graphs;
    }
    const found = graphs.state === "ready" ? graphs.value : [];
    const graphError = graphs.state === "failed" ? graphs.error : null;
    const samples = bundle.index.sample_sets[trial.steps.sample_set[step] ?? -1] ?? NO_SAMPLES;
    const shownGraphs = graphsToShow(content.value.layout, found);
    const offers = stepOffers(content.value, shownGraphs, samples);
    const hasGraph = shownGraphs.map((_, iteration) => (found[iteration] ?? null) !== null);
    return { state: "ready", value: { trial, step, content: content.value, graphs: shownGraphs, hasGraph, graphError, samples, offers } };
  }

  // src/state/options.ts
  var AGGREGATION_LABELS = /* @__PURE__ */ new Map([
    [BATCH_AGGREGATIONS[0], "Mean over the batch"],
    [BATCH_AGGREGATIONS[1], "Maximum absolute value over the batch"],
    [BATCH_AGGREGATIONS[2], "STD over the batch"],
    [NO_BATCH_AGGREGATION, "Has no batch dimension"]
  ]);
  function recordingOptions(offers, selection) {
    const shown = offers.of(selection.iteration, selection.node);
    return offers.recordings.map((recording) => ({
      value: recording,
      label: recording,
      disabled: !shown.some((offer) => offer.role === selection.role && offer.recordings.includes(recording))
    }));
  }
  function roleOptions(offers, selection) {
    const { recording, node } = selection;
    const roles = offers.of(selection.iteration, node).filter((offer) => agrees(offer, { recording }));
    return [...new Set(roles.map((offer) => offer.role))].map((role) => ({ value: role, label: role }));
  }
  function aggregationOptions(offers, selection, labelOf2) {
    const { recording, node, role } = selection;
    const offer = offers.of(selection.iteration, node).find((candidate) => agrees(candidate, { recording, role }));
    return (offer?.aggregations ?? []).map((aggregation) => ({ value: aggregation, label: labelOf2(aggregation) }));
  }
  function aggregationLabel(aggregation, samples, text2) {
    const place2 = samples.index.findIndex((index) => sampleAggregation(index) === aggregation);
    return AGGREGATION_LABELS.get(aggregation) ?? text2(samples.label[place2] ?? -1);
  }
  function trialOptions(bundle) {
    return [...new Set(bundle.index.trials.map((trial) => trial.name))].map((name) => ({ value: name, label: name }));
  }
  function rankOf(bundle, trial) {
    const others = bundle.index.trials.some((other) => other.name === trial.name && other.rank !== trial.rank);
    return !others ? ONLY_RANK : trial.rank === null ? ALL_RANKS : String(trial.rank);
  }
  function rankOptions(bundle, name) {
    const { trials } = bundle.index;
    if (new Set(trials.map((trial) => trial.name)).size === trials.length) {
      return [];
    }
    const ranks = trials.filter((trial) => trial.name === name);
    return ranks.map((trial) => ({ value: rankOf(bundle, trial), label: rankLabel(trial) }));
  }
  function rankLabel(trial) {
    return trial.rank === null ? "All ranks together" : `rank ${trial.rank}`;
  }
  var BY_NAME = new Intl.Collator("en", { numeric: true });
  function stepTypeOptions(bundle, trial) {
    const { triggered } = trial.steps;
    const regular = trial.steps.type.filter((_, k) => triggered[k] < 0);
    const types = [...new Set(regular)].map((position) => bundle.text(position)).sort(BY_NAME.compare);
    const options = [{ value: ANY_TYPE, label: "Any training step" }, ...types.map((type) => ({ value: type, label: type }))];
    return regular.length === triggered.length ? options : [...options, { value: TRIGGERED, label: "Triggered steps (unusual, a biased sample)" }];
  }
  function stepsOfType(bundle, trial, type) {
    const { step, triggered } = trial.steps;
    return step.map((_, k) => k).filter((k) => triggered[k] >= 0 ? type === TRIGGERED : type === ANY_TYPE || bundle.typeOf(trial, k) === type);
  }
  function typeWithStep(bundle, trial, step, wanted) {
    const k = trial.steps.step.indexOf(step);
    if (k < 0 || stepsOfType(bundle, trial, wanted).includes(k)) {
      return wanted;
    }
    return trial.steps.triggered[k] >= 0 ? TRIGGERED : ANY_TYPE;
  }

  // src/state/view_options.ts
  var VIEW_KEYS = [
    /** Which pane shows the values. */
    "pane",
    /** The statistic that the nodes of the graph are coloured by. */
    "color",
    /** What the graph traces from the selection, and to which node. */
    "trace",
    "to",
    /** Which groups of nodes the graph collapses, and which nodes it leaves out: types, and all names but those with this beginning. */
    "fold",
    "hide",
    "only",
    /** The selection that the shown one is compared with. */
    "pin",
    /** How a picture of values is coloured: its scale, its extent, and the place on the axes that it leaves out. */
    "scale",
    "extent",
    "page",
    /** In which order samples stand side by side, and the values in the table. */
    "samples",
    "order",
    /** Which curves are shown over time. */
    "time",
    /** Tensors whose curves are shown side by side. */
    "pins"
  ];
  var NO_OPTIONS = /* @__PURE__ */ new Map();
  function withOption(options, key, value) {
    const changed = new Map(options);
    if (value === null) {
      changed.delete(key);
    } else {
      changed.set(key, value);
    }
    return changed;
  }

  // src/state/url.ts
  var TABS = ["tensors", "network", "notes", "graphs", "visualization", "about"];
  var VERSION2 = "1";
  var KEYS = {
    trial: "trial",
    rank: "rank",
    recording: "rec",
    stepType: "type",
    step: "step",
    iteration: "it",
    node: "node",
    role: "role",
    aggregation: "agg"
  };
  var WHOLE_NUMBER = /^(0|[1-9][0-9]{0,14})$/;
  function writeLink(tab, selection, view = NO_OPTIONS) {
    const parts = [`v=${VERSION2}`, `tab=${tab}`];
    if (selection !== null) {
      parts.push(writeSelection(selection));
    }
    for (const key of VIEW_KEYS) {
      const value = view.get(key);
      if (value !== void 0) {
        parts.push(`${key}=${encode(value)}`);
      }
    }
    return parts.join("&");
  }
  function writeSelection(selection) {
    const attributes = Object.keys(KEYS).filter((attribute) => selection[attribute] !== void 0);
    const named = attributes.filter((attribute) => attribute !== "rank" || selection.rank !== ONLY_RANK);
    return named.map((attribute) => `${KEYS[attribute]}=${encode(String(selection[attribute]))}`).join("&");
  }
  function encode(text2) {
    return encodeURIComponent(text2.replace(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g, "\uFFFD"));
  }
  function readLink(hash) {
    const values = readPairs(hash.replace(/^#/, ""));
    if (values.get("v") !== VERSION2) {
      return null;
    }
    const link = { selection: readSelection(values) };
    const tab = TABS.find((name) => name === values.get("tab"));
    if (tab !== void 0) {
      link.tab = tab;
    }
    const view = new Map(VIEW_KEYS.flatMap((key) => values.has(key) ? [[key, values.get(key) ?? ""]] : []));
    if (view.size > 0) {
      link.view = view;
    }
    return link;
  }
  function readPairs(text2) {
    const values = /* @__PURE__ */ new Map();
    for (const part of text2.split("&")) {
      const equals = part.indexOf("=");
      const value = equals < 0 ? null : decode(part.slice(equals + 1));
      if (value !== null) {
        values.set(part.slice(0, equals), value);
      }
    }
    return values;
  }
  function readSelection(values) {
    const selection = {};
    for (const attribute of ["trial", "rank", "recording", "stepType", "node", "role", "aggregation"]) {
      const value = values.get(KEYS[attribute]);
      if (value !== void 0) {
        selection[attribute] = value;
      }
    }
    for (const attribute of ["step", "iteration"]) {
      const value = values.get(KEYS[attribute]);
      if (value !== void 0 && WHOLE_NUMBER.test(value)) {
        selection[attribute] = Number(value);
      }
    }
    return selection;
  }
  function decode(text2) {
    try {
      return decodeURIComponent(text2);
    } catch {
      return null;
    }
  }

  // src/state/pin.ts
  var PINNABLE = ["trial", "rank", "step", "recording", "iteration", "node", "role", "aggregation"];
  var FIXED_AT_FIRST = ["trial", "rank", "step", "recording", "aggregation"];
  function pinOf(selection) {
    return Object.fromEntries(FIXED_AT_FIRST.map((attribute) => [attribute, selection[attribute]]));
  }
  function withPin(selection, pin) {
    return { ...selection, ...pin };
  }
  function pinned(pin, attribute, value) {
    const { [attribute]: _, ...others } = pin;
    return value === void 0 ? others : { ...others, [attribute]: value };
  }
  function writePin(pin) {
    return writeSelection(pin);
  }
  function readPin(text2) {
    return text2 === void 0 ? null : readSelection(readPairs(text2));
  }

  // src/state/steps.ts
  function initialSelection(bundle) {
    const { trials } = bundle.index;
    const trial = trials.find(({ steps }) => steps.step.length > 0) ?? trials[0];
    return {
      trial: trial?.name ?? "",
      rank: trial === void 0 ? "" : rankOf(bundle, trial),
      recording: FORWARD,
      stepType: ANY_TYPE,
      step: trial?.steps.step[0] ?? 0,
      iteration: 0,
      node: "",
      role: "",
      aggregation: "batch_mean"
    };
  }
  function place(bundle, wanted) {
    const { trials } = bundle.index;
    const name = trials.some((trial2) => trial2.name === wanted.trial) ? wanted.trial : trials[0]?.name;
    const trial = trials.find((candidate) => candidate.name === name && rankOf(bundle, candidate) === wanted.rank) ?? trials.find((candidate) => candidate.name === name);
    if (trial === void 0) {
      return { selection: wanted, trial: -1, step: -1 };
    }
    const stepType = [wanted.stepType, ANY_TYPE, TRIGGERED].find((type) => stepsOfType(bundle, trial, type).length > 0) ?? ANY_TYPE;
    const steps = stepsOfType(bundle, trial, stepType);
    const distance = (k) => Math.abs(trial.steps.step[k] - wanted.step);
    const step = steps.length === 0 ? -1 : steps.reduce((best, k) => distance(k) < distance(best) ? k : best);
    return {
      selection: { ...wanted, trial: trial.name, rank: rankOf(bundle, trial), stepType, step: trial.steps.step[step] ?? wanted.step },
      trial: trials.indexOf(trial),
      step
    };
  }

  // src/state/second.ts
  function openSecond(bundle, wanted) {
    const { selection, trial: number2, step } = placeStep(bundle, wanted);
    const trial = bundle.index.trials[number2];
    const found = selection.rank === ONLY_RANK ? { ...selection, rank: wanted.rank } : selection;
    const lacking = ["trial", "rank", "step"].find((attribute2) => found[attribute2] !== wanted[attribute2]);
    if (trial === void 0 || step < 0 || lacking !== void 0) {
      return ready({ selection: wanted, open: null, offer: void 0, record: void 0, missing: sentence(lacking ?? "step", wanted) });
    }
    const opened = openStep(bundle, trial, step);
    if (opened.state !== "ready") {
      return opened;
    }
    const open = opened.value;
    const shown = open.offers.of(wanted.iteration);
    const offer = shown.find((candidate) => candidate.node === wanted.node && candidate.role === wanted.role);
    const record = offer && open.content.table.byGroup.get(wanted.recording)?.get(offer.tensor);
    const attribute = offer === void 0 ? lackingPart(shown, wanted) : record === void 0 ? "recording" : offer.aggregations.includes(wanted.aggregation) ? null : "aggregation";
    return ready({ selection: wanted, open, offer, record: attribute === null ? record : void 0, missing: attribute && sentence(attribute, wanted) });
  }
  function placeStep(bundle, wanted) {
    const first = place(bundle, { ...wanted, stepType: ANY_TYPE });
    const trial = bundle.index.trials[first.trial];
    return trial === void 0 ? first : place(bundle, { ...wanted, stepType: typeWithStep(bundle, trial, wanted.step, ANY_TYPE) });
  }
  function lackingPart(shown, wanted) {
    if (shown.length === 0) {
      return "iteration";
    }
    return shown.some((offer) => offer.node === wanted.node) ? "role" : "node";
  }
  function sentence(attribute, wanted) {
    return `B has no ${ATTRIBUTE_NAMES[attribute]} \u201C${wanted[attribute]}\u201D.`;
  }
  function ready(value) {
    return { state: "ready", value };
  }

  // src/state/resolve.ts
  function resolve(offers, current, changed, chosen) {
    const wanted = chosen === null || changed === null ? current : withChange(chosen, current, changed);
    const selection = find(offers, wanted, current, changed);
    if (selection === void 0) {
      return { selection: withoutRecord(offers, current), chosen: wanted, found: false };
    }
    return { selection, chosen: changed === null ? selection : wanted, found: true };
  }
  function withChange(chosen, current, changed) {
    switch (changed) {
      case "recording":
      case "aggregation":
      case "node":
        return { ...chosen, iteration: current.iteration, [changed]: current[changed] };
      case "role":
        return { ...chosen, iteration: current.iteration, node: current.node, role: current.role };
      case "iteration":
        return { ...chosen, iteration: current.iteration };
      default:
        return chosen;
    }
  }
  function find(offers, wanted, current, changed) {
    if (changed === "recording") {
      return relax(offers, wanted, current, changed);
    }
    const keepsRecording = wanted.recording === current.recording;
    const others = offers.recordings.filter((recording) => recording !== wanted.recording && recording !== current.recording);
    others.sort((a, b) => Number(b === FORWARD) - Number(a === FORWARD));
    const withNode = keepsRecording ? void 0 : relax(offers, wanted, current, changed, RELAXABLE.slice(0, -1));
    if (withNode !== void 0) {
      return withNode;
    }
    for (const recording of [current.recording, ...others]) {
      const found = relax(offers, { ...wanted, recording }, current, changed);
      if (found !== void 0) {
        return found;
      }
    }
    return void 0;
  }
  function relax(offers, wanted, current, changed, order = RELAXABLE) {
    const constraints = { ...wanted };
    for (const attribute of [null, ...order]) {
      if (attribute !== null && attribute === changed) {
        continue;
      }
      if (attribute !== null) {
        delete constraints[attribute];
      }
      const offer = nearestOffer(offers, constraints, wanted, current);
      if (offer !== void 0) {
        const { iteration, node, role, aggregations } = offer;
        const aggregation = [wanted.aggregation, current.aggregation].find((candidate) => aggregations.includes(candidate)) ?? aggregations[0];
        return { recording: wanted.recording, iteration, node, role, aggregation };
      }
    }
    return void 0;
  }
  function nearestOffer(offers, constraints, wanted, current) {
    const iterations = constraints.iteration === void 0 ? byDistance(offers.iterations, wanted.iteration) : [constraints.iteration];
    const likeness = (offer) => 8 * Number(offer.node === wanted.node) + 4 * Number(offer.node === current.node) + 2 * Number(offer.role === wanted.role) + Number(offer.role === current.role);
    for (const iteration of iterations) {
      const found = offers.of(iteration, constraints.node).filter((offer) => agrees(offer, constraints));
      if (found.length > 0) {
        return found.reduce((best, offer) => likeness(offer) > likeness(best) ? offer : best);
      }
    }
    return void 0;
  }
  function byDistance(count2, wanted) {
    return Array.from({ length: count2 }, (_, k) => k).sort((a, b) => Math.abs(a - wanted) - Math.abs(b - wanted));
  }
  function withoutRecord(offers, wanted) {
    const iteration = Math.max(0, Math.min(wanted.iteration, offers.iterations - 1));
    const shown = offers.of(iteration);
    const ofNode = shown.filter((candidate) => candidate.node === wanted.node);
    const offer = ofNode.find((candidate) => candidate.role === wanted.role) ?? ofNode[0] ?? shown[0];
    return { ...wanted, iteration, node: offer?.node ?? "", role: offer?.role ?? "" };
  }

  // src/state/store.ts
  var Store = class {
    constructor(bundle) {
      this.bundle = bundle;
    }
    bundle;
    tab = (0, import_signals.signal)("tensors");
    /** How things are shown, as far as the person has said. */
    view = (0, import_signals.signal)(NO_OPTIONS);
    shown = (0, import_signals.signal)(null);
    pending = (0, import_signals.signal)(null);
    /** What the person has chosen last, whether or not all of it can be shown now. */
    chosen = (0, import_signals.signal)(null);
    /** Sentences for the person, until they are dismissed. */
    messages = (0, import_signals.signal)([]);
    /** Rises when a chunk has arrived or failed. */
    version = (0, import_signals.signal)(0);
    /** What the selectors show: the change under way, or what is shown. */
    selection = (0, import_signals.computed)(() => this.pending.value?.selection ?? this.shown.value?.selection ?? initialSelection(this.bundle));
    trial = (0, import_signals.computed)(() => this.bundle.index.trials[(this.pending.value ?? this.shown.value)?.trial ?? 0]);
    /** The tensor that is shown, and its record of the recording type that is shown. */
    offer = (0, import_signals.computed)(() => {
      const shown = this.shown.value;
      const { iteration, node, role } = shown?.selection ?? this.selection.value;
      return shown?.open?.offers.of(iteration, node).find((offer) => offer.role === role);
    });
    record = (0, import_signals.computed)(() => {
      const shown = this.shown.value;
      const tensor = this.offer.value?.tensor ?? -1;
      return shown?.found ? shown.open?.content.table.byGroup.get(shown.selection.recording)?.get(tensor) : void 0;
    });
    /** What is fixed of the second view; null where there is none. */
    pin = (0, import_signals.computed)(() => readPin(this.view.value.get("pin")));
    /** The second view; null where there is none. */
    second = (0, import_signals.computed)(() => {
      void this.version.value;
      const [pin, shown] = [this.pin.value, this.shown.value];
      return pin === null || shown === null ? null : openSecond(this.bundle, withPin(shown.selection, pin));
    });
    /** The step and its type that the person has chosen last; others may be shown where the type, the trial or the rank lacks them. */
    chosenStep = 0;
    chosenStepType = ANY_TYPE;
    /** The rank that the person has chosen last; another one may be shown where the trial lacks it. */
    chosenRank = null;
    /** Changes one attribute; others give way as far as they must. */
    change(attribute, value) {
      const current = this.selection.value;
      const wanted = { ...current, rank: this.chosenRank ?? current.rank, [attribute]: value };
      if (attribute === "step") {
        this.chosenStep = wanted.step;
      }
      if (attribute === "step" || attribute === "stepType") {
        this.chosenStepType = wanted.stepType;
      }
      if (attribute === "rank") {
        this.chosenRank = wanted.rank;
        Object.assign(wanted, { step: this.chosenStep, stepType: this.chosenStepType });
      }
      const placed = place(this.bundle, wanted);
      this.go(placed.selection.step === wanted.step ? placed : place(this.bundle, { ...wanted, step: this.chosenStep }), attribute, {});
    }
    /** Goes to a step of the trial, whichever steps it is among. */
    goToStep(step) {
      const { stepType } = this.selection.value;
      const needed = this.trial.value === void 0 ? stepType : typeWithStep(this.bundle, this.trial.value, step, stepType);
      if (needed !== stepType) {
        this.change("stepType", needed);
      }
      this.change("step", step);
    }
    /** Selects a tensor of the iteration that is shown. */
    selectNode(node) {
      this.change("node", node);
    }
    /** Changes how something is shown; null goes back to what it is by default. */
    setView(key, value) {
      this.view.value = withOption(this.view.value, key, value);
    }
    /** Makes a view the second one; null: none. */
    setPin(pin) {
      this.setView("pin", pin === null ? null : writePin(pin));
    }
    /** Shows what a link names; what it does not name is as at the beginning. */
    open(link) {
      this.view.value = link.view ?? NO_OPTIONS;
      if (link.tab !== void 0) {
        this.tab.value = link.tab;
      }
      const placed = this.placeLink(link.selection);
      this.chosenStep = placed.selection.step;
      this.chosenStepType = placed.selection.stepType;
      this.chosenRank = link.selection.rank ?? null;
      this.go(placed, null, link.selection);
    }
    /** A link that names a step and no type means that step, whichever steps it is among. */
    placeLink(link) {
      const wanted = { ...initialSelection(this.bundle), ...link };
      const placed = place(this.bundle, wanted);
      const trial = this.bundle.index.trials[placed.trial];
      if (trial === void 0 || link.step === void 0 || link.stepType !== void 0) {
        return placed;
      }
      return place(this.bundle, { ...wanted, stepType: typeWithStep(this.bundle, trial, link.step, wanted.stepType) });
    }
    dismiss(message) {
      this.messages.value = this.messages.value.filter((other) => other !== message);
    }
    /** Tries again to load what could not be loaded. */
    retry() {
      this.bundle.chunks.forgetFailures();
      this.chunksChanged();
    }
    chunksChanged() {
      (0, import_signals.batch)(() => {
        this.version.value += 1;
        this.settle();
      });
    }
    go(placed, changed, link) {
      (0, import_signals.batch)(() => {
        this.pending.value = { ...placed, changed, link, error: null };
        this.settle();
      });
    }
    /** Carries out the pending change as soon as the step's description is there. */
    settle() {
      const pending = this.pending.value;
      if (pending === null) {
        return;
      }
      const opened = this.openStep(pending);
      if (opened.state === "ready") {
        this.show(pending, opened.value);
      } else if (opened.state === "failed") {
        this.pending.value = { ...pending, error: opened.error };
      }
    }
    openStep(placed) {
      const trial = this.bundle.index.trials[placed.trial];
      if (trial === void 0 || placed.step < 0) {
        return { state: "ready", value: null };
      }
      const known = this.shown.value;
      if (known !== null && known.open !== null && known.trial === placed.trial && known.step === placed.step) {
        return { state: "ready", value: known.open };
      }
      return openStep(this.bundle, trial, placed.step);
    }
    show(pending, open) {
      const { selection, trial, step } = pending;
      const resolution = open === null ? null : resolve(open.offers, selection, pending.changed, this.chosen.value);
      const final = { ...selection, ...resolution?.selection };
      this.chosen.value = resolution?.chosen ?? this.chosen.value;
      this.shown.value = { selection: final, trial, step, open, found: resolution?.found ?? false };
      this.pending.value = null;
      const given = linkMessage(pending.link, final);
      if (given !== null) {
        this.messages.value = [...this.messages.value.filter((message) => message !== given), given];
      }
    }
  };
  function linkMessage(link, shown) {
    const attributes = Object.keys(ATTRIBUTE_NAMES).filter((attribute) => link[attribute] !== void 0 && link[attribute] !== shown[attribute]);
    if (attributes.length === 0) {
      return null;
    }
    const now = (attribute) => attribute === "rank" && shown.rank === ONLY_RANK ? "the only one" : `\u201C${shown[attribute]}\u201D`;
    const parts = attributes.map((attribute) => `${ATTRIBUTE_NAMES[attribute]} \u201C${link[attribute]}\u201D (now ${now(attribute)})`);
    return `The link names something that is not here: ${parts.join(", ")}.`;
  }

  // src/state/prefetch.ts
  var import_signals2 = __toESM(require_signals(), 1);
  var FIRST_VALUES = 100;
  function startPrefetch(store) {
    (0, import_signals2.effect)(() => {
      void store.version.value;
      const shown = store.shown.value;
      const { chunks } = store.bundle;
      if (shown?.open && store.pending.value === null && chunks.outstanding === 0 && !chunks.hasFailed) {
        for (const step of neighboursOf(store, shown)) {
          prefetch(store, shown, step);
        }
      }
    });
  }
  function neighboursOf(store, shown) {
    const trial = shown.open?.trial;
    const steps = trial === void 0 ? [] : stepsOfType(store.bundle, trial, shown.selection.stepType);
    const place2 = steps.indexOf(shown.step);
    return [steps[place2 + 1], steps[place2 - 1]].filter((step) => step !== void 0);
  }
  function prefetch(store, shown, step) {
    const open = shown.open;
    const offer = store.offer.value;
    if (open === null || offer === void 0) {
      return;
    }
    store.bundle.graphs(open.trial, step);
    const content = store.bundle.step(open.trial, step);
    if (content.state !== "ready") {
      return;
    }
    const { tensors } = content.value.layout;
    const wanted = open.content.layout.tensors;
    const tensor = tensors.name.findIndex((name, k) => name === wanted.name[offer.tensor] && tensors.iteration[k] === wanted.iteration[offer.tensor]);
    const record = content.value.table.byGroup.get(shown.selection.recording)?.get(tensor);
    const aggregation = offer.aggregations.indexOf(shown.selection.aggregation);
    if (record !== void 0 && aggregation >= 0 && aggregation < record.aggregationCount) {
      const neurons = content.value.numbers.neurons(record, aggregation);
      store.bundle.chunks.request([...content.value.numbers.overviewChunks(record, aggregation), ...neurons.chunks(0, Math.min(FIRST_VALUES, neurons.length))]);
    }
  }

  // src/views/address.ts
  var import_signals3 = __toESM(require_signals(), 1);
  var WRITE_EVERY_MILLISECONDS = 350;
  var ONE_STEP_MILLISECONDS = 1e3;
  function startAddress(store) {
    let known = "";
    const open = () => {
      const hash = window.location.hash;
      const link = hash === known ? null : readLink(hash);
      known = hash;
      if (link === null) {
        return false;
      }
      store.open(link);
      return true;
    };
    if (!open()) {
      store.open({ selection: {} });
    }
    window.addEventListener("hashchange", open);
    let lastWrite = -Infinity;
    let timer;
    (0, import_signals3.effect)(() => {
      const pending = store.pending.value;
      const selection = store.shown.value === null && pending?.error === null ? null : store.selection.value;
      const tab = store.tab.value;
      if (selection === null || pending !== null && pending.error === null) {
        return;
      }
      const hash = `#${writeLink(tab, selection, store.view.value)}`;
      clearTimeout(timer);
      if (hash === window.location.hash) {
        return;
      }
      const write = () => {
        if (window.location.hash !== known) {
          return;
        }
        const now = Date.now();
        const isStep = known !== "" && now - lastWrite > ONE_STEP_MILLISECONDS;
        lastWrite = now;
        writeHash(hash, isStep);
        known = window.location.hash;
      };
      const wait = lastWrite + WRITE_EVERY_MILLISECONDS - Date.now();
      if (wait <= 0) {
        write();
      } else {
        timer = setTimeout(write, wait);
      }
    });
  }
  function writeHash(hash, isStep) {
    try {
      if (isStep) {
        history.pushState(null, "", hash);
      } else {
        history.replaceState(null, "", hash);
      }
    } catch {
      try {
        window.location.hash = hash;
      } catch {
      }
    }
  }

  // src/views/app.tsx
  var import_hooks35 = __toESM(require_hooks(), 1);

  // src/views/about.tsx
  var import_hooks = __toESM(require_hooks(), 1);

  // src/views/failure.tsx
  var import_jsx_runtime = __toESM(require_jsx_runtime(), 1);
  function Failure({ store, error, what }) {
    return /* @__PURE__ */ (0, import_jsx_runtime.jsxs)("div", { class: "failure", role: "alert", "data-testid": "failure", children: [
      /* @__PURE__ */ (0, import_jsx_runtime.jsxs)("h2", { children: [
        "Could not load ",
        what
      ] }),
      /* @__PURE__ */ (0, import_jsx_runtime.jsx)("p", { children: error.message }),
      error instanceof MissingChunkError && error.inFolder && /* @__PURE__ */ (0, import_jsx_runtime.jsx)("p", { children: adviceFor(window.location.href) }),
      /* @__PURE__ */ (0, import_jsx_runtime.jsx)("button", { type: "button", onClick: () => store.retry(), children: "Try again" })
    ] });
  }
  function adviceFor(address) {
    const path = decodeURIComponentSafely(address.split("#")[0] ?? "");
    if (/\.zip([/\\]|$)/i.test(path)) {
      return "This page was opened inside a zip file. Extract the whole zip first, then open index.html in the extracted folder.";
    }
    if (/[/\\](temp|tmp)[/\\]/i.test(path)) {
      return "This page lies in a temporary folder: it was probably opened inside a zip file. Extract the whole zip first, then open index.html in the extracted folder.";
    }
    return "The folder \u201Cdata\u201D must lie beside index.html. If the page was copied or sent on, copy the whole folder.";
  }
  function decodeURIComponentSafely(text2) {
    try {
      return decodeURIComponent(text2);
    } catch {
      return text2;
    }
  }

  // src/views/documents_view.tsx
  var import_jsx_runtime2 = __toESM(require_jsx_runtime(), 1);
  function DocumentView({ store, read, what, children }) {
    void store.version.value;
    const trial = store.trial.value;
    if (trial === void 0) {
      return /* @__PURE__ */ (0, import_jsx_runtime2.jsx)("p", { class: "empty", children: "This page holds no trial." });
    }
    const loaded2 = read(store.bundle, trial);
    if (loaded2.state === "failed") {
      return /* @__PURE__ */ (0, import_jsx_runtime2.jsx)(Failure, { store, error: loaded2.error, what });
    }
    return loaded2.state === "loading" ? /* @__PURE__ */ (0, import_jsx_runtime2.jsx)("p", { class: "empty", role: "status", children: "Loading\u2026" }) : /* @__PURE__ */ (0, import_jsx_runtime2.jsx)(import_jsx_runtime2.Fragment, { children: children(loaded2.value, trial) });
  }

  // src/views/format.ts
  var DIGITS = { F64: 9, F32: 6, F16: 3, BF16: 2 };
  var INTEGER_DTYPE = /^([IU](8|16|32|64)|BOOL)$/;
  var LARGEST_FIXED = 1e15;
  var FIXED_DIGITS = 6;
  function isIntegerDtype(dtype) {
    return INTEGER_DTYPE.test(dtype);
  }
  function fixed(value, dtype) {
    if (typeof value === "bigint") {
      return value.toString();
    }
    if (!Number.isFinite(value)) {
      return nonFinite(value);
    }
    if (value === 0) {
      return Object.is(value, -0) ? "-0" : "0";
    }
    if (isIntegerDtype(dtype)) {
      return String(value);
    }
    return Math.abs(value) < LARGEST_FIXED ? value.toFixed(FIXED_DIGITS) : scientific(value, dtype);
  }
  function scientific(value, dtype) {
    const number2 = Number(value);
    if (!Number.isFinite(number2)) {
      return nonFinite(number2);
    }
    const [mantissa = "", exponent = "0"] = number2.toExponential(DIGITS[dtype] ?? 6).split("e");
    const sign = exponent.startsWith("-") ? "-" : "+";
    return `${mantissa}e${sign}${exponent.replace(/^[+-]/, "").padStart(2, "0")}`;
  }
  function nonFinite(value) {
    return Number.isNaN(value) ? "NaN" : value > 0 ? "+inf" : "-inf";
  }
  function brief(value) {
    if (!Number.isFinite(value)) {
      return nonFinite(value);
    }
    const size = Math.abs(value);
    return size !== 0 && (size < 1e-3 || size >= 1e6) ? value.toExponential(3) : String(Number(value.toPrecision(5)));
  }
  function grouped(count2) {
    return count2.toString().replace(/\B(?=(\d{3})+(?!\d))/g, ",");
  }
  function counted(count2, singular, plural = `${singular}s`) {
    return `${grouped(count2)} ${count2 === 1 ? singular : plural}`;
  }
  var BYTE_UNITS = ["bytes", "kB", "MB", "GB", "TB"];
  function byteSize(bytes) {
    let size = bytes;
    let unit = 0;
    while (size >= 1e3 && unit < BYTE_UNITS.length - 1) {
      size /= 1e3;
      unit += 1;
    }
    return `${unit === 0 ? size : size.toPrecision(3)} ${BYTE_UNITS[unit]}`;
  }
  function indexText(k, shape) {
    const index = [];
    let rest = k;
    for (const size of [...shape].reverse()) {
      index.unshift(size === 0 ? 0 : rest % size);
      rest = size === 0 ? 0 : Math.floor(rest / size);
    }
    return index.join(", ");
  }
  function placeOfIndex(text2, shape) {
    const parts = text2.split(/[\s,;x]+/).filter((part) => part !== "");
    if (parts.length !== shape.length || !parts.every((part) => /^\d{1,15}$/.test(part))) {
      return null;
    }
    let place2 = 0;
    for (const [axis, size] of shape.entries()) {
      const position = Number(parts[axis]);
      if (position >= size) {
        return null;
      }
      place2 = place2 * size + position;
    }
    return place2;
  }
  function shapeText(shape) {
    return shape.length === 0 ? "scalar" : shape.join(" \xD7 ");
  }
  var OLD_SUFFIX = "*old";
  function nodeLabel(name) {
    return name.endsWith(OLD_SUFFIX) ? `${name.slice(0, -OLD_SUFFIX.length)} (earlier)` : name;
  }
  function roleLabel(role) {
    return role.replace(/__from_iteration_(\d+)$/, " (from iteration $1)").replace(/__from_initialization$/, " (initial value)");
  }
  function elided(text2, longest) {
    if (text2.length <= longest) {
      return text2;
    }
    const tail = Math.ceil((longest - 1) / 2);
    return `${text2.slice(0, longest - 1 - tail)}\u2026${text2.slice(text2.length - tail)}`;
  }
  function keyOf(trial) {
    return `${trial.rank}/${trial.name}`;
  }

  // src/views/facts.ts
  function learningRatesText(rates, network) {
    const texts = rates.map((ofGroups, k) => {
      const name = network?.optimizers?.[k]?.name ?? (rates.length > 1 ? `optimizer ${k + 1}` : "");
      const distinct = new Set(ofGroups).size === 1 ? ofGroups.slice(0, 1) : ofGroups;
      return `${name} ${distinct.map(brief).join(", ")}`.trim();
    });
    return texts.join("; ");
  }
  function lossScales(facts) {
    const scales = facts.gradients.map((gradients) => gradients.loss_scale).filter((scale) => scale !== null);
    return [...new Set(scales)].map(brief).join(", ");
  }
  var CLIPPING = /mul|clamp|clip/;
  function gradientSentences(facts, isParameter) {
    const { backward_passes: passes, loss_scale: scale, changed_in_place_by: changes, averaged_over_ranks: averaged } = facts;
    const sentences = [];
    if (passes !== null) {
      sentences.push(passes === 0 ? "No backward pass of this step came before it." : passes === 1 ? "Of one backward pass." : `Sum of ${counted(passes, "backward pass", "backward passes")} of this step.`);
    }
    if (scale !== null) {
      sentences.push(`The loss scale of ${brief(scale)} is divided out.`);
    }
    if (isParameter && averaged !== null) {
      sentences.push(averaged ? "Averaged over the ranks." : "Of this rank alone, not averaged over the ranks.");
    }
    if (isParameter && changes !== null) {
      const as = changes.some((name) => CLIPPING.test(name)) ? " (as clipping does)" : "";
      sentences.push(changes.length === 0 ? "Not changed between the backward pass and the recording." : `Changed in place after the backward pass by: ${changes.join(", ")}${as}.`);
    }
    return sentences;
  }
  function shardText({ shape, index, count: count2 }) {
    return `part ${index + 1} of ${count2} of [${shape.join(", ")}]`;
  }
  function placeOfParameter(network, name) {
    const position = network.parameters.findIndex((parameter) => parameter.name === name);
    const original = network.parameters[position]?.alias_of ?? null;
    const shared = original === null ? position : network.parameters.findIndex((parameter) => parameter.name === original);
    return position < 0 ? null : { position, shared: shared < 0 ? position : shared };
  }
  function parameterSentences(network, place2, rates) {
    const parameter = network.parameters[place2.position];
    const sentences = [];
    const others = network.parameters.filter((other) => other !== parameter && (other.alias_of === parameter?.name || other.name === parameter?.alias_of));
    if (others.length > 0) {
      sentences.push(`The same tensor as ${others.map((other) => `\u201C${other.name}\u201D`).join(", ")}.`);
    }
    if (parameter?.requires_grad === false) {
      sentences.push("Frozen: it requires no gradient.");
    }
    if (network.optimizers !== null) {
      const holders = network.optimizers.flatMap(
        (optimizer, k) => optimizer.groups.flatMap((group, number2) => {
          const isHeld = group.parameters.includes(place2.position) || group.parameters.includes(place2.shared);
          const groups = optimizer.groups.length > 1 ? `, group ${number2 + 1} of ${optimizer.groups.length}` : "";
          return isHeld ? [`Held by ${optimizer.name}${groups}: ${settingsText(group, rates?.[k]?.[number2])}.`] : [];
        })
      );
      sentences.push(...holders.length > 0 ? holders : ["No optimizer that the recorder was told of holds it."]);
    }
    return sentences;
  }
  function settingsText(group, learningRate) {
    const options = Object.entries(group.options).filter(([name, value]) => value !== null && value !== false && (name !== "lr" || learningRate === void 0));
    const texts = options.map(([name, value]) => value === true ? name : `${name} ${typeof value === "number" ? brief(value) : value}`);
    const all3 = learningRate === void 0 ? texts : [`learning rate ${brief(learningRate)} on this step`, ...texts];
    return all3.length === 0 ? "no settings known" : all3.join(", ");
  }

  // src/views/table_frame.tsx
  var import_jsx_runtime3 = __toESM(require_jsx_runtime(), 1);
  function TableFrame({ name, children }) {
    return /* @__PURE__ */ (0, import_jsx_runtime3.jsx)("div", { class: "table-frame", tabIndex: 0, role: "region", "aria-label": name, children });
  }

  // src/views/optimizers.tsx
  var import_jsx_runtime4 = __toESM(require_jsx_runtime(), 1);
  function Optimizers({ network }) {
    if (network.optimizers === null) {
      return /* @__PURE__ */ (0, import_jsx_runtime4.jsx)("p", { class: "soft", children: "The recorder was not told of any." });
    }
    return /* @__PURE__ */ (0, import_jsx_runtime4.jsx)(TableFrame, { name: "Optimizers", children: /* @__PURE__ */ (0, import_jsx_runtime4.jsxs)("table", { "data-testid": "optimizers", children: [
      /* @__PURE__ */ (0, import_jsx_runtime4.jsx)("thead", { children: /* @__PURE__ */ (0, import_jsx_runtime4.jsxs)("tr", { children: [
        /* @__PURE__ */ (0, import_jsx_runtime4.jsx)("th", { scope: "col", children: "Name" }),
        /* @__PURE__ */ (0, import_jsx_runtime4.jsx)("th", { scope: "col", children: "Type" }),
        /* @__PURE__ */ (0, import_jsx_runtime4.jsx)("th", { scope: "col", children: "Group" }),
        /* @__PURE__ */ (0, import_jsx_runtime4.jsx)("th", { scope: "col", class: "number", children: "Parameters" }),
        /* @__PURE__ */ (0, import_jsx_runtime4.jsx)("th", { scope: "col", children: "Settings when it was handed over" })
      ] }) }),
      /* @__PURE__ */ (0, import_jsx_runtime4.jsx)("tbody", { children: network.optimizers.flatMap(
        (optimizer) => optimizer.groups.map((group, k) => /* @__PURE__ */ (0, import_jsx_runtime4.jsxs)("tr", { children: [
          /* @__PURE__ */ (0, import_jsx_runtime4.jsx)("td", { children: /* @__PURE__ */ (0, import_jsx_runtime4.jsx)("bdi", { children: optimizer.name }) }),
          /* @__PURE__ */ (0, import_jsx_runtime4.jsx)("td", { children: /* @__PURE__ */ (0, import_jsx_runtime4.jsx)("bdi", { children: optimizer.type }) }),
          /* @__PURE__ */ (0, import_jsx_runtime4.jsxs)("td", { children: [
            k + 1,
            " of ",
            optimizer.groups.length
          ] }),
          /* @__PURE__ */ (0, import_jsx_runtime4.jsx)("td", { class: "number", children: grouped(group.parameters.length) }),
          /* @__PURE__ */ (0, import_jsx_runtime4.jsx)("td", { dir: "auto", children: settingsText(group) })
        ] }, `${optimizer.name}/${k}`))
      ) })
    ] }) });
  }

  // src/views/recordings.tsx
  var import_jsx_runtime5 = __toESM(require_jsx_runtime(), 1);
  function Recordings({ recordings }) {
    if (recordings.length === 0) {
      return null;
    }
    const hasRanks = recordings.some(({ world_size }) => world_size > 1);
    const resumed = recordings.filter(({ sessions }) => sessions.length > 1);
    return /* @__PURE__ */ (0, import_jsx_runtime5.jsxs)(import_jsx_runtime5.Fragment, { children: [
      /* @__PURE__ */ (0, import_jsx_runtime5.jsx)("h3", { children: "Recordings" }),
      /* @__PURE__ */ (0, import_jsx_runtime5.jsx)(TableFrame, { name: "Recordings", children: /* @__PURE__ */ (0, import_jsx_runtime5.jsxs)("table", { "data-testid": "recordings", children: [
        /* @__PURE__ */ (0, import_jsx_runtime5.jsx)("thead", { children: /* @__PURE__ */ (0, import_jsx_runtime5.jsxs)("tr", { children: [
          /* @__PURE__ */ (0, import_jsx_runtime5.jsx)("th", { scope: "col", children: "Trial" }),
          hasRanks && /* @__PURE__ */ (0, import_jsx_runtime5.jsx)("th", { scope: "col", children: "Rank" }),
          /* @__PURE__ */ (0, import_jsx_runtime5.jsx)("th", { scope: "col", children: "Recorded by" }),
          /* @__PURE__ */ (0, import_jsx_runtime5.jsx)("th", { scope: "col", children: "PyTorch" }),
          /* @__PURE__ */ (0, import_jsx_runtime5.jsx)("th", { scope: "col", children: "Started" }),
          /* @__PURE__ */ (0, import_jsx_runtime5.jsx)("th", { scope: "col", children: "State" })
        ] }) }),
        /* @__PURE__ */ (0, import_jsx_runtime5.jsx)("tbody", { children: recordings.map((recording, k) => /* @__PURE__ */ (0, import_jsx_runtime5.jsxs)("tr", { children: [
          /* @__PURE__ */ (0, import_jsx_runtime5.jsx)("td", { children: /* @__PURE__ */ (0, import_jsx_runtime5.jsx)("bdi", { children: recording.trial }) }),
          hasRanks && /* @__PURE__ */ (0, import_jsx_runtime5.jsx)("td", { children: recording.world_size > 1 ? `${recording.rank} of ${grouped(recording.world_size)}` : "\u2013" }),
          /* @__PURE__ */ (0, import_jsx_runtime5.jsx)("td", { children: /* @__PURE__ */ (0, import_jsx_runtime5.jsx)("bdi", { children: recording.writer }) }),
          /* @__PURE__ */ (0, import_jsx_runtime5.jsx)("td", { children: /* @__PURE__ */ (0, import_jsx_runtime5.jsx)("bdi", { children: recording.torch_version }) }),
          /* @__PURE__ */ (0, import_jsx_runtime5.jsx)("td", { children: /* @__PURE__ */ (0, import_jsx_runtime5.jsx)("bdi", { children: recording.started }) }),
          /* @__PURE__ */ (0, import_jsx_runtime5.jsx)("td", { children: stateOf(recording.sessions) })
        ] }, k)) })
      ] }) }),
      resumed.map((recording, k) => /* @__PURE__ */ (0, import_jsx_runtime5.jsx)(Sessions, { recording }, k))
    ] });
  }
  function stateOf(sessions) {
    const closed = sessions[sessions.length - 1]?.closed ?? null;
    return closed === null ? "\u2013" : closed ? "ended regularly" : "its process ended early, or was still recording";
  }
  function Sessions({ recording }) {
    const { trial, rank, world_size: world, sessions, left_behind: leftBehind } = recording;
    return /* @__PURE__ */ (0, import_jsx_runtime5.jsxs)(import_jsx_runtime5.Fragment, { children: [
      /* @__PURE__ */ (0, import_jsx_runtime5.jsxs)("p", { class: "list-title", children: [
        /* @__PURE__ */ (0, import_jsx_runtime5.jsx)("bdi", { children: trial }),
        world > 1 && `, rank ${rank},`,
        " was resumed: ",
        counted(sessions.length, "session"),
        leftBehind > 0 && `, and ${counted(leftBehind, "recorded step")} left behind, which later sessions recorded anew`
      ] }),
      /* @__PURE__ */ (0, import_jsx_runtime5.jsx)("ol", { "data-testid": "sessions", children: sessions.map((session, k) => /* @__PURE__ */ (0, import_jsx_runtime5.jsx)("li", { children: sessionText(session, k === sessions.length - 1) }, k)) })
    ] });
  }
  function sessionText({ first, last, steps, closed }, isLast) {
    const what = first === null || last === null ? "no steps in use" : first === last ? `step ${first}` : `steps ${first} to ${last} (${grouped(steps)} recorded)`;
    return closed === false ? `${what}; ${isLast ? stateOf([{ first, last, steps, closed }]) : "its process ended early"}` : what;
  }

  // src/views/about.tsx
  var import_jsx_runtime6 = __toESM(require_jsx_runtime(), 1);
  var PAGE = 200;
  function AboutView({ store }) {
    const { index } = store.bundle;
    const recorded = index.trials.filter((trial) => trial.rank !== null);
    const steps = recorded.reduce((sum, trial) => sum + trial.steps.step.length, 0);
    const trials = new Set(index.trials.map((trial) => trial.name)).size;
    const raw = index.chunks.bytes.reduce((sum, bytes) => sum + bytes, 0);
    const outside = index.chunks.inline.filter((inline) => inline === 0).length;
    return /* @__PURE__ */ (0, import_jsx_runtime6.jsxs)("section", { class: "page about", "aria-label": "About", children: [
      /* @__PURE__ */ (0, import_jsx_runtime6.jsx)("h2", { dir: "auto", children: index.title }),
      index.description !== "" && /* @__PURE__ */ (0, import_jsx_runtime6.jsx)("p", { dir: "auto", class: "description", children: index.description }),
      /* @__PURE__ */ (0, import_jsx_runtime6.jsxs)("dl", { class: "facts-list", children: [
        /* @__PURE__ */ (0, import_jsx_runtime6.jsx)(Row, { name: "Group", value: index.group }),
        /* @__PURE__ */ (0, import_jsx_runtime6.jsx)(Row, { name: "Written by", value: `${index.generator}, bundle format ${index.version}` }),
        /* @__PURE__ */ (0, import_jsx_runtime6.jsx)(Row, { name: "Holds", value: `${counted(trials, "trial")}${recorded.length > trials ? ` with ${counted(recorded.length, "rank")}` : ""}, ${counted(steps, "recorded step")}, ${counted(index.structures.chunk.length, "dependency graph")}` }),
        /* @__PURE__ */ (0, import_jsx_runtime6.jsx)(Row, { name: "Data", value: `${byteSize(raw)} in ${counted(index.chunks.bytes.length, "part")}${outside > 0 ? `, ${grouped(outside)} of them in the folder \u201Cdata\u201D` : ", all inside this page"}` }),
        /* @__PURE__ */ (0, import_jsx_runtime6.jsx)(Row, { name: "Content digest", value: index.content_digest, mono: true })
      ] }),
      /* @__PURE__ */ (0, import_jsx_runtime6.jsx)("p", { class: "soft", children: "This page is built to make no request, and its policy blocks fetches. It can be kept, sent and opened without a network." }),
      /* @__PURE__ */ (0, import_jsx_runtime6.jsx)(Recordings, { recordings: index.about.recordings }),
      /* @__PURE__ */ (0, import_jsx_runtime6.jsxs)("h3", { children: [
        "Optimizers",
        /* @__PURE__ */ (0, import_jsx_runtime6.jsx)(OfTrial, { store })
      ] }),
      /* @__PURE__ */ (0, import_jsx_runtime6.jsx)(DocumentView, { store, read: (bundle, trial) => bundle.network(trial), what: "the network", children: (network) => /* @__PURE__ */ (0, import_jsx_runtime6.jsx)(Optimizers, { network }) }),
      /* @__PURE__ */ (0, import_jsx_runtime6.jsx)(Sentences, { title: "Left out on purpose", sentences: index.about.omissions, testId: "omissions" }),
      /* @__PURE__ */ (0, import_jsx_runtime6.jsx)(Sentences, { title: "Problems", sentences: index.about.problems, testId: "problems" }),
      /* @__PURE__ */ (0, import_jsx_runtime6.jsxs)("h3", { children: [
        "Gaps",
        /* @__PURE__ */ (0, import_jsx_runtime6.jsx)(OfTrial, { store })
      ] }),
      /* @__PURE__ */ (0, import_jsx_runtime6.jsx)(DocumentView, { store, read: (bundle, trial) => bundle.gaps(trial), what: "the list of gaps", children: (gaps, trial) => /* @__PURE__ */ (0, import_jsx_runtime6.jsx)(Gaps, { gaps }, keyOf(trial)) })
    ] });
  }
  function OfTrial({ store }) {
    const trial = store.trial.value;
    const { rank } = store.selection.value;
    return trial === void 0 || store.bundle.index.trials.length < 2 ? null : /* @__PURE__ */ (0, import_jsx_runtime6.jsxs)(import_jsx_runtime6.Fragment, { children: [
      " of ",
      /* @__PURE__ */ (0, import_jsx_runtime6.jsx)("bdi", { children: trial.name }),
      rank !== ONLY_RANK && `, ${rankLabel(trial)}`
    ] });
  }
  function Row({ name, value, mono }) {
    return /* @__PURE__ */ (0, import_jsx_runtime6.jsxs)("div", { children: [
      /* @__PURE__ */ (0, import_jsx_runtime6.jsx)("dt", { children: name }),
      /* @__PURE__ */ (0, import_jsx_runtime6.jsx)("dd", { class: mono ? "mono" : "", children: /* @__PURE__ */ (0, import_jsx_runtime6.jsx)("bdi", { children: value }) })
    ] });
  }
  function Sentences({ title, sentences, testId }) {
    return /* @__PURE__ */ (0, import_jsx_runtime6.jsxs)(import_jsx_runtime6.Fragment, { children: [
      /* @__PURE__ */ (0, import_jsx_runtime6.jsx)("h3", { children: title }),
      sentences.length === 0 ? /* @__PURE__ */ (0, import_jsx_runtime6.jsx)("p", { class: "soft", children: "None." }) : /* @__PURE__ */ (0, import_jsx_runtime6.jsx)("ul", { "data-testid": testId, children: sentences.map((sentence3, k) => /* @__PURE__ */ (0, import_jsx_runtime6.jsx)("li", { dir: "auto", children: sentence3 }, k)) })
    ] });
  }
  function Gaps({ gaps }) {
    const [limit, setLimit] = (0, import_hooks.useState)(PAGE);
    if (gaps.length === 0) {
      return /* @__PURE__ */ (0, import_jsx_runtime6.jsx)("p", { class: "soft", children: "None: everything that should have been recorded was." });
    }
    return /* @__PURE__ */ (0, import_jsx_runtime6.jsxs)(TableFrame, { name: "Gaps", children: [
      /* @__PURE__ */ (0, import_jsx_runtime6.jsxs)("table", { "data-testid": "gaps", children: [
        /* @__PURE__ */ (0, import_jsx_runtime6.jsxs)("caption", { children: [
          counted(gaps.length, "thing"),
          " that could not be recorded"
        ] }),
        /* @__PURE__ */ (0, import_jsx_runtime6.jsx)("thead", { children: /* @__PURE__ */ (0, import_jsx_runtime6.jsxs)("tr", { children: [
          /* @__PURE__ */ (0, import_jsx_runtime6.jsx)("th", { scope: "col", class: "number", children: "Step" }),
          /* @__PURE__ */ (0, import_jsx_runtime6.jsx)("th", { scope: "col", class: "number", children: "Iteration" }),
          /* @__PURE__ */ (0, import_jsx_runtime6.jsx)("th", { scope: "col", children: "Recording type" }),
          /* @__PURE__ */ (0, import_jsx_runtime6.jsx)("th", { scope: "col", children: "Tensor" }),
          /* @__PURE__ */ (0, import_jsx_runtime6.jsx)("th", { scope: "col", children: "Reason" })
        ] }) }),
        /* @__PURE__ */ (0, import_jsx_runtime6.jsx)("tbody", { children: gaps.slice(0, limit).map((gap, k) => /* @__PURE__ */ (0, import_jsx_runtime6.jsxs)("tr", { children: [
          /* @__PURE__ */ (0, import_jsx_runtime6.jsx)("td", { class: "number", children: gap.step ?? "\u2013" }),
          /* @__PURE__ */ (0, import_jsx_runtime6.jsx)("td", { class: "number", children: gap.iteration ?? "\u2013" }),
          /* @__PURE__ */ (0, import_jsx_runtime6.jsx)("td", { children: /* @__PURE__ */ (0, import_jsx_runtime6.jsx)("bdi", { children: gap.group ?? "\u2013" }) }),
          /* @__PURE__ */ (0, import_jsx_runtime6.jsx)("td", { children: /* @__PURE__ */ (0, import_jsx_runtime6.jsx)("bdi", { children: gap.tensor ?? "\u2013" }) }),
          /* @__PURE__ */ (0, import_jsx_runtime6.jsx)("td", { dir: "auto", children: gap.reason })
        ] }, k)) })
      ] }),
      gaps.length > limit && /* @__PURE__ */ (0, import_jsx_runtime6.jsx)("button", { type: "button", onClick: () => setLimit(limit + PAGE), children: "Show more" })
    ] });
  }

  // src/views/curves.tsx
  var import_hooks4 = __toESM(require_hooks(), 1);

  // src/views/chart_figure.tsx
  var import_hooks3 = __toESM(require_hooks(), 1);

  // src/views/curve_chart.ts
  var import_uplot = __toESM(require_uplot(), 1);

  // src/views/curve_data.ts
  var COLOR_COUNT = 12;
  var MARKER_COUNT = 12;
  var DASHES = [[], [8, 4], [2, 3], [10, 3, 2, 3]];
  var { compare: byNumberAndName } = new Intl.Collator("en", { numeric: true });
  function curveGroups(curves) {
    const types = [...new Set(curves.map((curve) => curve.type))].sort(byNumberAndName);
    const names = [...new Set(curves.map((curve) => curve.name))];
    const ordered = [...curves].sort((a, b) => names.indexOf(a.name) - names.indexOf(b.name) || types.indexOf(a.type) - types.indexOf(b.type));
    const groups = new Map(curves.map((curve) => [curve.group, []]));
    for (const { group, name, type, t, v } of ordered) {
      const members = groups.get(group) ?? [];
      const number2 = members.length;
      const style = {
        color: number2 % COLOR_COUNT,
        marker: types.indexOf(type) % MARKER_COUNT,
        dash: DASHES[Math.floor(number2 / COLOR_COUNT) % DASHES.length] ?? []
      };
      members.push({ name, type, ...inOrder(t, v), style });
    }
    return [...groups].map(([group, members]) => ({ group, curves: members }));
  }
  function inOrder(t, v) {
    const order = t.map((_, k) => k).filter((k) => Number.isFinite(t[k]));
    order.sort((a, b) => t[a] - t[b]);
    return { t: order.map((k) => t[k]), v: order.map((k) => v[k]) };
  }
  function chartData(curves, logarithmic, extent = []) {
    const times = allTimes([.../* @__PURE__ */ new Set([extent, ...curves.map((curve) => curve.t)])]);
    const nonFinite2 = [];
    let notPositive = 0;
    const values = curves.map(({ t, v }) => {
      const line = t.length === times.length ? Array.from(v) : new Array(times.length).fill(void 0);
      const own = [];
      for (let k = 0, place2 = 0; k < t.length; k++) {
        while (times[place2] < t[k]) {
          place2 += 1;
        }
        const value = v[k];
        const finite = Number.isFinite(value);
        const hidden = logarithmic && value <= 0 && finite;
        notPositive += hidden ? 1 : 0;
        if (!finite) {
          own.push(k);
        }
        if (hidden || !finite) {
          line[place2] = null;
        } else if (line[place2] !== value) {
          line[place2] = value;
        }
      }
      nonFinite2.push(own);
      return line;
    });
    return { times, values, nonFinite: nonFinite2, notPositive };
  }
  function allTimes(lists) {
    const joined3 = new Float64Array(lists.reduce((sum, { length }) => sum + length, 0));
    let used = 0;
    for (const list2 of lists) {
      joined3.set(list2, used);
      used += list2.length;
    }
    joined3.sort();
    return Array.from(joined3.filter((time, k) => k === 0 || time !== joined3[k - 1]));
  }
  function placeFrom(times, time) {
    let low = 0;
    let high = times.length;
    while (low < high) {
      const middle2 = low + high >> 1;
      if (times[middle2] < time) {
        low = middle2 + 1;
      } else {
        high = middle2;
      }
    }
    return low;
  }
  function nearestPoint(t, time) {
    const low = placeFrom(t, time);
    const [before, after] = [t[low - 1], t[low]];
    if (after === void 0) {
      return t.length - 1;
    }
    return before !== void 0 && time - before < after - time ? low - 1 : low;
  }

  // src/views/markers.ts
  var SQUARE = [[-0.85, -0.85], [0.85, -0.85], [0.85, 0.85], [-0.85, 0.85]];
  var UP = [[0, -1.05], [1, 0.8], [-1, 0.8]];
  var DOWN = [[0, 1.05], [1, -0.8], [-1, -0.8]];
  var DIAMOND = [[0, -1.15], [1.15, 0], [0, 1.15], [-1.15, 0]];
  var PLUS = [[-1, 0, 1, 0], [0, -1, 0, 1]];
  var CROSS = [[-0.8, -0.8, 0.8, 0.8], [-0.8, 0.8, 0.8, -0.8]];
  var MARKERS = [
    { points: "circle", hollow: false },
    { points: SQUARE, hollow: false },
    { points: UP, hollow: false },
    { points: DIAMOND, hollow: false },
    { points: DOWN, hollow: false },
    { points: "circle", hollow: true },
    { points: SQUARE, hollow: true },
    { points: UP, hollow: true },
    { points: DIAMOND, hollow: true },
    { points: DOWN, hollow: true },
    { points: "strokes", hollow: true, strokes: PLUS },
    { points: "strokes", hollow: true, strokes: CROSS }
  ];
  function drawMarker(context, number2, x, y, radius, background) {
    const marker = MARKERS[number2 % MARKERS.length];
    context.beginPath();
    if (marker.points === "circle") {
      context.arc(x, y, radius, 0, 2 * Math.PI);
    } else if (marker.points === "strokes") {
      for (const [x0, y0, x1, y1] of marker.strokes ?? []) {
        context.moveTo(x + x0 * radius, y + y0 * radius);
        context.lineTo(x + x1 * radius, y + y1 * radius);
      }
      context.stroke();
      return;
    } else {
      marker.points.forEach(([dx, dy], k) => k === 0 ? context.moveTo(x + dx * radius, y + dy * radius) : context.lineTo(x + dx * radius, y + dy * radius));
      context.closePath();
    }
    if (marker.hollow) {
      const fill = context.fillStyle;
      context.fillStyle = background;
      context.fill();
      context.fillStyle = fill;
      context.stroke();
    } else {
      context.fill();
    }
  }

  // src/views/theme.ts
  var import_signals4 = __toESM(require_signals(), 1);
  var THEMES = ["system", "light", "dark"];
  var STORAGE_KEY = "comgra-export:theme";
  var systemIsDark = (0, import_signals4.signal)(false);
  var chosenTheme = (0, import_signals4.signal)("system");
  var isDark = (0, import_signals4.computed)(() => chosenTheme.value === "system" ? systemIsDark.value : chosenTheme.value === "dark");
  function startTheme() {
    const query = window.matchMedia("(prefers-color-scheme: dark)");
    systemIsDark.value = query.matches;
    query.addEventListener("change", () => systemIsDark.value = query.matches);
    chosenTheme.value = THEMES.find((theme) => theme === readStored()) ?? "system";
    (0, import_signals4.effect)(() => {
      document.documentElement.dataset["theme"] = isDark.value ? "dark" : "light";
    });
  }
  function nextTheme() {
    const next = THEMES[(THEMES.indexOf(chosenTheme.value) + 1) % THEMES.length] ?? "system";
    chosenTheme.value = next;
    try {
      localStorage.setItem(STORAGE_KEY, next);
    } catch {
    }
  }
  function readStored() {
    try {
      return localStorage.getItem(STORAGE_KEY);
    } catch {
      return null;
    }
  }
  function themeColor(name) {
    return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
  }

  // src/views/curve_chart.ts
  var MARKER_RADIUS = 3.5;
  var MARKER_DISTANCE = 18;
  var MARK_DISTANCE = 3;
  var WORD_DISTANCE = 30;
  var CLICK_DISTANCE = 4;
  function curveColor(number2) {
    return themeColor(`curve-${number2}`);
  }
  function createChart(element, options) {
    const { curves, data: data2, visible, logarithmic, onHover, onZoom } = options;
    const axis = {
      stroke: themeColor("text-soft"),
      grid: { stroke: themeColor("grid"), width: 1 },
      ticks: { stroke: themeColor("grid"), width: 1 },
      font: "12px system-ui, sans-serif"
    };
    return new import_uplot.default(
      {
        width: options.width,
        height: options.height,
        legend: { show: false },
        cursor: { y: false, points: { show: false }, drag: { x: true, y: false } },
        scales: { x: { time: false }, y: logarithmic ? { distr: 3, range: logarithmicRange } : {} },
        axes: [
          { ...axis, values: (_, ticks) => ticks.map(brief) },
          { ...axis, size: 72, values: (_, ticks) => ticks.map((tick) => tick === null ? "" : brief(tick)) }
        ],
        series: [
          {},
          ...curves.map((curve, k) => ({
            show: visible[k] ?? true,
            stroke: curveColor(curve.style.color),
            width: 1.75,
            dash: [...curve.style.dash],
            points: { show: false },
            ...curve.marksOnly && { paths: () => null }
          }))
        ],
        hooks: {
          ready: [(self) => listenForClicks(self, options.onPick)],
          drawAxes: [(self) => drawMarkedTime(self, options.marked())],
          draw: [(self) => drawMarkers(self, curves, data2)],
          setCursor: [(self) => onHover(self.cursor.idx == null ? null : self.data[0][self.cursor.idx] ?? null)],
          setScale: [(self, key) => key === "x" && onZoom(shownRange(self, data2))]
        }
      },
      [data2.times, ...data2.values],
      element
    );
  }
  function logarithmicRange(self, low, high) {
    return low === null || high === null || low <= 0 ? [0.1, 10] : import_uplot.default.rangeLog(low, high, self.scales["y"]?.log ?? 10, false);
  }
  function shownRange(self, { times }) {
    const { min, max } = self.scales["x"] ?? {};
    const [first, last] = [times[0], times[times.length - 1]];
    return min != null && max != null && first !== void 0 && last !== void 0 && (min > first || max < last) ? [min, max] : null;
  }
  function showRange(chart, data2, range) {
    const shown = shownRange(chart, data2);
    if (range === null && shown !== null) {
      chart.setData([data2.times, ...data2.values], true);
    } else if (range !== null && (shown?.[0] !== range[0] || shown[1] !== range[1])) {
      chart.setScale("x", { min: range[0], max: range[1] });
    }
  }
  function listenForClicks(self, onPick) {
    let pressed = null;
    self.over.addEventListener("mousedown", (event) => pressed = event.button === 0 ? event.clientX : null);
    self.over.addEventListener("mouseup", (event) => {
      const time = self.cursor.idx == null ? void 0 : self.data[0][self.cursor.idx];
      if (pressed !== null && Math.abs(event.clientX - pressed) < CLICK_DISTANCE && time !== void 0) {
        onPick(time);
      }
      pressed = null;
    });
  }
  function drawMarkedTime(self, time) {
    const { min, max } = self.scales["x"] ?? {};
    if (time === null || min == null || max == null || time < min || time > max) {
      return;
    }
    const { ctx, bbox } = self;
    const x = Math.round(self.valToPos(time, "x", true));
    ctx.save();
    ctx.strokeStyle = themeColor("selected");
    ctx.lineWidth = 2 * (window.devicePixelRatio || 1);
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    ctx.restore();
  }
  function drawMarkers(self, curves, data2) {
    const context = self.ctx;
    const { left, top, width, height } = self.bbox;
    const ratio = window.devicePixelRatio || 1;
    const background = themeColor("surface");
    context.save();
    context.beginPath();
    context.rect(left - 16 * ratio, top - 6 * ratio, width + 32 * ratio, height + 12 * ratio);
    context.clip();
    context.lineWidth = 1.5 * ratio;
    curves.forEach((curve, k) => {
      if (self.series[k + 1]?.show !== true) {
        return;
      }
      context.fillStyle = context.strokeStyle = curveColor(curve.style.color);
      forEachApart(self, curve.t, (curve.marksOnly ? MARK_DISTANCE : MARKER_DISTANCE) * ratio, (place2, x) => {
        const value = data2.values[k]?.[placeFrom(data2.times, curve.t[place2])];
        if (value == null) {
          return false;
        }
        drawMarker(context, curve.style.marker, x, self.valToPos(value, "y", true), MARKER_RADIUS * ratio, background);
        return true;
      });
    });
    drawNonFinite(self, curves, data2, ratio);
    context.restore();
  }
  function forEachApart(self, t, distance, draw) {
    const { left, width } = self.bbox;
    const timeAt = (x) => self.posToVal((x - left) / (window.devicePixelRatio || 1), "x");
    const end = timeAt(left + width + distance);
    let place2 = placeFrom(t, timeAt(left - distance));
    let lastX = -Infinity;
    while (place2 < t.length && t[place2] <= end) {
      const x = self.valToPos(t[place2], "x", true);
      if (x - lastX >= distance && draw(place2, x)) {
        lastX = x;
        place2 = Math.max(place2 + 1, placeFrom(t, timeAt(x + distance)));
      } else {
        place2 += 1;
      }
    }
  }
  function drawNonFinite(self, curves, data2, ratio) {
    const context = self.ctx;
    const { top, height } = self.bbox;
    context.font = `bold ${11 * ratio}px system-ui, sans-serif`;
    context.textAlign = "center";
    curves.forEach(({ t, v, style }, curve) => {
      const places = data2.nonFinite[curve] ?? [];
      if (places.length === 0 || self.series[curve + 1]?.show !== true) {
        return;
      }
      context.fillStyle = context.strokeStyle = curveColor(style.color);
      for (const above of [true, false]) {
        const own = places.filter((place2) => v[place2] === Infinity === above);
        forEachApart(self, own.map((place2) => t[place2]), WORD_DISTANCE * ratio, (place2, x) => {
          const value = v[own[place2]];
          const y = above ? top + 4 * ratio : top + height - 4 * ratio;
          drawMarker(context, Number.isNaN(value) ? 11 : above ? 2 : 4, x, y, 5 * ratio, "");
          context.textBaseline = above ? "top" : "bottom";
          context.fillText(brief(value), x, above ? y + 7 * ratio : y - 7 * ratio);
          return true;
        });
      }
    });
  }

  // src/views/curve_legend.tsx
  var import_hooks2 = __toESM(require_hooks(), 1);
  var import_jsx_runtime7 = __toESM(require_jsx_runtime(), 1);
  var WIDTH = 34;
  var HEIGHT = 14;
  function CurveLegend({ curves, visible, time, onToggle }) {
    const dark = isDark.value;
    return /* @__PURE__ */ (0, import_jsx_runtime7.jsx)("ul", { class: "chart-legend", "aria-label": "Curves; press to show or hide", children: curves.map((curve, k) => /* @__PURE__ */ (0, import_jsx_runtime7.jsx)("li", { children: /* @__PURE__ */ (0, import_jsx_runtime7.jsxs)("button", { type: "button", class: "chip", "data-testid": "legend-entry", "aria-pressed": visible[k] ?? true, onClick: () => onToggle(k), children: [
      /* @__PURE__ */ (0, import_jsx_runtime7.jsx)(Sample, { curve, dark }),
      /* @__PURE__ */ (0, import_jsx_runtime7.jsxs)("span", { class: "chip-text", children: [
        /* @__PURE__ */ (0, import_jsx_runtime7.jsx)("bdi", { children: curve.name }),
        " ",
        /* @__PURE__ */ (0, import_jsx_runtime7.jsx)("span", { class: "soft", children: /* @__PURE__ */ (0, import_jsx_runtime7.jsx)("bdi", { children: curve.type }) })
      ] }),
      /* @__PURE__ */ (0, import_jsx_runtime7.jsx)("span", { class: "chip-value", children: valueAt(curve, time) })
    ] }) }, k)) });
  }
  function valueAt(curve, time) {
    const value = curve.v[time === null ? curve.v.length - 1 : nearestPoint(curve.t, time)];
    return value === void 0 ? "" : brief(value);
  }
  function Sample({ curve, dark }) {
    const canvas = (0, import_hooks2.useRef)(null);
    (0, import_hooks2.useEffect)(() => {
      const context = canvas.current?.getContext("2d");
      if (!context) {
        return;
      }
      const ratio = window.devicePixelRatio || 1;
      context.canvas.width = WIDTH * ratio;
      context.canvas.height = HEIGHT * ratio;
      context.scale(ratio, ratio);
      context.fillStyle = context.strokeStyle = curveColor(curve.style.color);
      context.lineWidth = 1.75;
      context.setLineDash([...curve.style.dash]);
      context.beginPath();
      context.moveTo(0, HEIGHT / 2);
      context.lineTo(WIDTH, HEIGHT / 2);
      context.stroke();
      context.setLineDash([]);
      drawMarker(context, curve.style.marker, WIDTH / 2, HEIGHT / 2, 4, themeColor("surface"));
    }, [curve, dark]);
    return /* @__PURE__ */ (0, import_jsx_runtime7.jsx)("canvas", { ref: canvas, class: "legend-line", "aria-hidden": "true" });
  }

  // src/views/chart_figure.tsx
  var import_jsx_runtime8 = __toESM(require_jsx_runtime(), 1);
  var NO_TIMES = [];
  function ChartFigure(props) {
    const { name, label, description, curves, visible, logarithmic, hovered, marked = null, extent = NO_TIMES } = props;
    const data2 = (0, import_hooks3.useMemo)(() => chartData(curves, logarithmic, extent), [curves, logarithmic, extent]);
    const frame = useChart(props, data2);
    const notes = [
      ...data2.notPositive > 0 ? [`${counted(data2.notPositive, "value")} of zero or less not shown`] : [],
      ...data2.nonFinite.some((places) => places.length > 0) ? ["NaN and infinities are marked at the edges"] : []
    ];
    return /* @__PURE__ */ (0, import_jsx_runtime8.jsxs)("figure", { class: "chart", "data-testid": "chart", "data-group": name, "aria-label": label, children: [
      /* @__PURE__ */ (0, import_jsx_runtime8.jsxs)("figcaption", { class: "page-bar", children: [
        props.children,
        /* @__PURE__ */ (0, import_jsx_runtime8.jsx)("span", { class: "soft chart-notes", children: [hovered === null ? "Drag to zoom" : `at ${brief(hovered)}`, ...notes].join("; ") })
      ] }),
      /* @__PURE__ */ (0, import_jsx_runtime8.jsx)("div", { ref: frame, class: "chart-frame", role: "img", "aria-label": description }),
      /* @__PURE__ */ (0, import_jsx_runtime8.jsx)(CurveLegend, { curves, visible, time: hovered ?? marked, onToggle: props.onToggle })
    ] });
  }
  function useChart(props, data2) {
    const { visible, marked = null, range, height } = props;
    const frame = (0, import_hooks3.useRef)(null);
    const chart = (0, import_hooks3.useRef)(null);
    const latest = (0, import_hooks3.useRef)(props);
    latest.current = props;
    const dark = isDark.value;
    (0, import_hooks3.useLayoutEffect)(() => {
      const element = frame.current;
      if (element === null) {
        return void 0;
      }
      const { curves, logarithmic } = latest.current;
      const created = createChart(element, {
        curves,
        data: data2,
        visible: latest.current.visible,
        logarithmic,
        width: element.clientWidth,
        height,
        marked: () => latest.current.marked ?? null,
        onHover: (time) => time !== latest.current.hovered && latest.current.onHover(time),
        // What is drawn anew is zoomed as before.
        onZoom: (shown) => chart.current === created && latest.current.onRange(shown),
        onPick: (time) => latest.current.onPick?.(time)
      });
      chart.current = created;
      showRange(created, data2, latest.current.range);
      const observer = new ResizeObserver(() => {
        if (element.clientWidth > 0 && element.clientWidth !== created.width) {
          created.setSize({ width: element.clientWidth, height: created.height });
        }
      });
      observer.observe(element);
      return () => {
        chart.current = null;
        observer.disconnect();
        created.destroy();
      };
    }, [data2, dark, height]);
    (0, import_hooks3.useLayoutEffect)(() => {
      visible.forEach((show, k) => {
        if (chart.current !== null && chart.current.series[k + 1]?.show !== show) {
          chart.current.setSeries(k + 1, { show });
        }
      });
    }, [visible]);
    (0, import_hooks3.useLayoutEffect)(() => chart.current?.redraw(false), [marked]);
    (0, import_hooks3.useLayoutEffect)(() => {
      if (chart.current !== null) {
        showRange(chart.current, data2, range);
      }
    }, [range]);
    return frame;
  }

  // src/views/curves.tsx
  var import_jsx_runtime9 = __toESM(require_jsx_runtime(), 1);
  var HEIGHT2 = 280;
  function CurvesView({ store }) {
    return /* @__PURE__ */ (0, import_jsx_runtime9.jsx)(DocumentView, { store, read: (bundle, trial) => bundle.curves(trial), what: "the curves", children: (curves, trial) => /* @__PURE__ */ (0, import_jsx_runtime9.jsx)(Groups, { curves }, keyOf(trial)) });
  }
  function Groups({ curves }) {
    const groups = (0, import_hooks4.useMemo)(() => curveGroups(curves), [curves]);
    if (groups.length === 0) {
      return /* @__PURE__ */ (0, import_jsx_runtime9.jsx)("p", { class: "empty", "data-testid": "curves-empty", children: "There are no curves in this trial." });
    }
    return /* @__PURE__ */ (0, import_jsx_runtime9.jsx)("section", { class: "page", "aria-label": "Graphs", children: groups.map((group) => /* @__PURE__ */ (0, import_jsx_runtime9.jsx)(Chart, { group }, group.group)) });
  }
  function Chart({ group }) {
    const { curves } = group;
    const [visible, setVisible] = (0, import_hooks4.useState)(() => curves.map(() => true));
    const [logarithmic, setLogarithmic] = (0, import_hooks4.useState)(false);
    const [range, setRange] = (0, import_hooks4.useState)(null);
    const [hovered, setHovered] = (0, import_hooks4.useState)(null);
    return /* @__PURE__ */ (0, import_jsx_runtime9.jsxs)(
      ChartFigure,
      {
        name: group.group,
        label: `Curves of ${group.group}`,
        description: `Chart with ${counted(curves.length, "curve")}; its values are in the legend`,
        curves,
        visible,
        logarithmic,
        height: HEIGHT2,
        range,
        hovered,
        onToggle: (k) => setVisible(visible.map((shown, other) => other === k ? !shown : shown)),
        onRange: setRange,
        onHover: setHovered,
        children: [
          /* @__PURE__ */ (0, import_jsx_runtime9.jsx)("h2", { children: /* @__PURE__ */ (0, import_jsx_runtime9.jsx)("bdi", { children: group.group }) }),
          /* @__PURE__ */ (0, import_jsx_runtime9.jsx)("button", { type: "button", "aria-pressed": logarithmic, "data-testid": "log-y", onClick: () => setLogarithmic(!logarithmic), children: "Logarithmic" }),
          /* @__PURE__ */ (0, import_jsx_runtime9.jsx)("button", { type: "button", "aria-disabled": range === null, "data-testid": "reset-zoom", onClick: () => setRange(null), children: "Reset zoom" })
        ]
      }
    );
  }

  // src/views/graph/graph_view.tsx
  var import_hooks11 = __toESM(require_hooks(), 1);

  // src/views/graph/arrow_keys.ts
  var import_hooks5 = __toESM(require_hooks(), 1);
  var PAN_STEP = 80;
  var KEYS2 = /* @__PURE__ */ new Map([
    ["ArrowLeft", { direction: "left", pan: [PAN_STEP, 0] }],
    ["ArrowRight", { direction: "right", pan: [-PAN_STEP, 0] }],
    ["ArrowUp", { direction: "up", pan: [0, PAN_STEP] }],
    ["ArrowDown", { direction: "down", pan: [0, -PAN_STEP] }]
  ]);
  function useArrowKeys(store, canvas, go) {
    const latest = (0, import_hooks5.useRef)(go);
    latest.current = go;
    (0, import_hooks5.useEffect)(() => {
      const listener = (event) => {
        const isBusy = event.target instanceof Element && event.target.closest("input, select, textarea, [data-arrow-keys]") !== null;
        const key = event.ctrlKey || event.metaKey || event.altKey ? void 0 : KEYS2.get(event.key);
        if (key === void 0 || isBusy || store.tab.value !== "tensors") {
          return;
        }
        event.preventDefault();
        if (event.shiftKey) {
          canvas?.panBy(...key.pan);
        } else {
          latest.current(key.direction);
        }
      };
      document.addEventListener("keydown", listener);
      return () => document.removeEventListener("keydown", listener);
    }, [store, canvas]);
  }

  // src/views/graph/color_bar.tsx
  var import_hooks6 = __toESM(require_hooks(), 1);

  // src/views/color_scale.ts
  var VIRIDIS = [
    [68, 1, 84],
    [72, 40, 120],
    [62, 74, 137],
    [49, 104, 142],
    [38, 130, 142],
    [31, 158, 137],
    [53, 183, 121],
    [109, 205, 89],
    [180, 222, 44],
    [253, 231, 37]
  ];
  function swatchOf(value) {
    if (Number.isNaN(value)) {
      return { color: null, mark: "nan" };
    }
    const clipped = Math.max(-1, Math.min(1, value));
    return { color: viridis((clipped + 1) / 2), mark: value > 1 ? "above" : value < -1 ? "below" : "none" };
  }
  function viridis(position) {
    const place2 = position * (VIRIDIS.length - 1);
    const k = Math.min(VIRIDIS.length - 2, Math.floor(place2));
    const [low, high] = [VIRIDIS[k], VIRIDIS[k + 1]];
    const channel = (c) => Math.round(low[c] + (high[c] - low[c]) * (place2 - k));
    return `rgb(${channel(0)}, ${channel(1)}, ${channel(2)})`;
  }

  // src/views/graph/node_numbers.ts
  var STATISTICS2 = ["abs_mean", "abs_max", "mean", "std", "svd"];
  function statisticsOf(open, iteration, recording) {
    const records = recordsOf(open, iteration, recording);
    const items = new Set(records.flatMap(({ record }) => record.items));
    return STATISTICS2.filter((statistic) => items.has(statistic) || items.has("single_value") && statistic !== "std" && statistic !== "svd");
  }
  function recordsOf(open, iteration, recording) {
    const group = open.content.table.byGroup.get(recording);
    return open.offers.of(iteration).flatMap((offer) => {
      const record = group?.get(offer.tensor);
      return record === void 0 ? [] : [{ offer, record }];
    });
  }
  function readStatistic(open, iteration, recording, aggregation, statistic) {
    const numbers = [];
    const chunks = /* @__PURE__ */ new Set();
    let isComplete = true;
    for (const { offer, record } of recordsOf(open, iteration, recording)) {
      const single = record.items.indexOf("single_value");
      const item2 = single >= 0 && statistic !== "std" && statistic !== "svd" ? single : record.items.indexOf(statistic);
      if (item2 < 0) {
        continue;
      }
      const number2 = Math.max(0, offer.aggregations.indexOf(aggregation));
      const all3 = open.content.numbers.statistics(record, number2);
      open.content.numbers.overviewChunks(record, number2).forEach((chunk) => chunks.add(chunk));
      const value = all3.at(item2);
      const facts = open.content.numbers.facts(record);
      if (value === void 0 || facts === void 0) {
        isComplete = false;
      } else if (!facts.gradientAbsent) {
        numbers.push({ node: offer.node, role: offer.role, value: single >= 0 && statistic !== "mean" ? Math.abs(Number(value)) : Number(value) });
      }
    }
    return { numbers, chunks: [...chunks], isComplete };
  }
  function numberPerNode(graph, numbers) {
    const best = /* @__PURE__ */ new Map();
    for (const { node, role, value } of numbers) {
      const known = best.get(node);
      const among = (known?.among ?? 0) + 1;
      best.set(node, known !== void 0 && weight(value) <= weight(known.value) ? { ...known, among } : { value, role, among });
    }
    return graph.nodes.name.map((name) => best.get(name));
  }
  function withSelected(strongest, numbers, selected, { node, role }) {
    const known = strongest[selected];
    const own = known === void 0 || known.role === role ? void 0 : numbers.find((number2) => number2.node === node && number2.role === role);
    if (known === void 0 || own === void 0) {
      return strongest;
    }
    const changed = strongest.slice();
    changed[selected] = { ...known, value: own.value, role };
    return changed;
  }
  function strongestMember(members, numbers) {
    let strongest;
    for (const node of members) {
      const number2 = numbers[node];
      if (number2 !== void 0 && (strongest === void 0 || weight(number2.value) > weight(numbers[strongest].value))) {
        strongest = node;
      }
    }
    return strongest;
  }
  function weight(value) {
    return Number.isNaN(value) ? Infinity : value === Infinity || value === -Infinity ? Number.MAX_VALUE : Math.abs(value);
  }

  // src/views/graph/coloring.ts
  var SCALES = ["log", "linear"];
  function readColorChoice(text2) {
    const [name, scale] = (text2 ?? "").split(",");
    const statistic = STATISTICS2.find((known) => known === name);
    return statistic === void 0 ? null : { statistic, scale: SCALES.find((known) => known === scale) ?? null };
  }
  function writeColorChoice({ statistic, scale }) {
    return scale === null ? statistic : `${statistic},${scale}`;
  }
  var LOG_FROM = 100;
  function colorNodes(numbers, chosen) {
    const finite = numbers.flatMap((number2) => number2 !== void 0 && Number.isFinite(number2.value) ? [number2.value] : []);
    const magnitudes = finiteExtent(finite.map(Math.abs).filter((magnitude) => magnitude > 0));
    const hasNegative = finite.some((value) => value < 0);
    const scale = chosen ?? (!hasNegative && magnitudes.high >= magnitudes.low * LOG_FROM ? "log" : "linear");
    const { low, high } = scale === "log" ? magnitudes : finiteExtent(finite);
    const place2 = (value) => {
      const [at, from, to] = scale === "log" ? [Math.log(Math.abs(value)), Math.log(low), Math.log(high)] : [value, low, high];
      return to > from ? (at / 2 - from / 2) / (to / 2 - from / 2) : 0.5;
    };
    const nodes = numbers.map((number2) => number2 === void 0 ? void 0 : colorOf(number2.value, scale, place2));
    return {
      scale,
      low,
      high,
      ofMagnitudes: scale === "log" && hasNegative,
      nodes,
      notFinite: numbers.filter((number2) => number2 !== void 0 && !Number.isFinite(number2.value)).length,
      zeros: scale === "log" ? finite.filter((value) => value === 0).length : 0,
      without: numbers.filter((number2) => number2 === void 0).length
    };
  }
  function itemColors({ nodes }, numbers, items) {
    const colors = nodes.slice();
    for (const [item2, { members }] of items.groups) {
      const strongest = strongestMember(members, numbers);
      colors[item2] = strongest === void 0 ? void 0 : nodes[strongest];
    }
    return colors;
  }
  function finiteExtent(values) {
    if (values.length === 0) {
      return { low: NaN, high: NaN };
    }
    return { low: values.reduce((a, b) => Math.min(a, b)), high: values.reduce((a, b) => Math.max(a, b)) };
  }
  function colorOf(value, scale, place2) {
    if (!Number.isFinite(value)) {
      return { fill: null, ink: "", sign: Number.isNaN(value) ? "NaN" : value > 0 ? "\u221E" : "\u2212\u221E" };
    }
    if (scale === "log" && value === 0) {
      return { fill: null, ink: "", sign: "0" };
    }
    const fill = swatchOf(2 * place2(value) - 1).color;
    return { fill, ink: fill === null || isLight(fill) ? "#000000" : "#ffffff", sign: "" };
  }
  function isLight(color) {
    const [red = 0, green = 0, blue = 0] = (color.match(/\d+/g) ?? []).map((channel) => {
      const part = Number(channel) / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179;
  }

  // src/views/graph/color_bar.tsx
  var import_jsx_runtime10 = __toESM(require_jsx_runtime(), 1);
  function ColorBar({ store, open, iteration, recording, colored }) {
    const statistics = (0, import_hooks6.useMemo)(() => statisticsOf(open, iteration, recording), [open, iteration, recording]);
    const value = colored?.statistic ?? "";
    return /* @__PURE__ */ (0, import_jsx_runtime10.jsxs)("div", { class: "graph-option", role: "group", "aria-label": "Colors of the nodes", children: [
      /* @__PURE__ */ (0, import_jsx_runtime10.jsx)("label", { for: "graph-color", children: "Color" }),
      /* @__PURE__ */ (0, import_jsx_runtime10.jsxs)("select", { id: "graph-color", "data-testid": "graph-color", value, onChange: (event) => store.setView("color", event.currentTarget.value || null), children: [
        /* @__PURE__ */ (0, import_jsx_runtime10.jsx)("option", { value: "", selected: value === "", children: "by type" }),
        statistics.map((statistic) => /* @__PURE__ */ (0, import_jsx_runtime10.jsx)("option", { value: statistic, selected: statistic === value, children: statistic }, statistic))
      ] }),
      colored !== null && colored.state !== "ready" && /* @__PURE__ */ (0, import_jsx_runtime10.jsx)("span", { class: "soft", role: "status", children: colored.state === "loading" ? "Loading\u2026" : "Some numbers could not be loaded." }),
      colored !== null && colored.state !== "loading" && /* @__PURE__ */ (0, import_jsx_runtime10.jsx)(ColorLegend, { store, recording, colored })
    ] });
  }
  function ColorLegend({ store, recording, colored: { coloring, statistic } }) {
    const hasScale = !Number.isNaN(coloring.low);
    const choose = (scale) => {
      const choice = readColorChoice(store.view.value.get("color"));
      if (choice !== null) {
        store.setView("color", writeColorChoice({ ...choice, scale }));
      }
    };
    return /* @__PURE__ */ (0, import_jsx_runtime10.jsxs)(import_jsx_runtime10.Fragment, { children: [
      hasScale ? /* @__PURE__ */ (0, import_jsx_runtime10.jsxs)("span", { class: "color-scale", role: "img", "data-testid": "color-scale", "aria-label": scaleInWords(coloring, statistic, recording), children: [
        /* @__PURE__ */ (0, import_jsx_runtime10.jsx)("span", { children: brief(coloring.low) }),
        /* @__PURE__ */ (0, import_jsx_runtime10.jsx)("span", { class: "color-ramp" }),
        /* @__PURE__ */ (0, import_jsx_runtime10.jsx)("span", { children: brief(coloring.high) })
      ] }) : /* @__PURE__ */ (0, import_jsx_runtime10.jsx)("span", { class: "soft", "data-testid": "color-scale", children: "nothing has a place on this scale" }),
      /* @__PURE__ */ (0, import_jsx_runtime10.jsx)("div", { class: "button-group", role: "group", "aria-label": "Scale of the colors", children: SCALES.map((scale) => /* @__PURE__ */ (0, import_jsx_runtime10.jsx)("button", { type: "button", "data-testid": `color-${scale}`, "aria-pressed": coloring.scale === scale, onClick: () => choose(scale), children: scale === "log" ? "Log" : "Linear" }, scale)) }),
      /* @__PURE__ */ (0, import_jsx_runtime10.jsx)("span", { class: "color-signs", "data-testid": "color-signs", children: signsInWords(coloring) })
    ] });
  }
  function scaleInWords({ low, high, scale, ofMagnitudes }, statistic, recording) {
    return `${ofMagnitudes ? "Magnitude of " : ""}${statistic} of ${recording}: from ${brief(low)} (dark) to ${brief(high)} (bright), ${scale === "log" ? "logarithmic" : "linear"}`;
  }
  function signsInWords({ ofMagnitudes, notFinite, zeros, without }) {
    return [
      ...ofMagnitudes ? ["magnitudes"] : [],
      ...notFinite > 0 ? [`${notFinite} NaN or infinite (marked)`] : [],
      ...zeros > 0 ? [`${zeros} exactly zero (0)`] : [],
      ...without > 0 ? [`hatched: ${counted(without, "node")} without a number`] : []
    ].join(" \xB7 ");
  }

  // src/views/graph/columns.ts
  var KNOWN = /* @__PURE__ */ new WeakMap();
  function columnsOf(graph) {
    let columns = KNOWN.get(graph);
    if (columns === void 0) {
      const all3 = graph.columns.heading.map(() => []);
      for (const [node, column2] of graph.nodes.column.entries()) {
        all3[column2]?.push(node);
      }
      for (const column2 of all3) {
        column2.sort((a, b) => graph.nodes.row[a] - graph.nodes.row[b]);
      }
      columns = all3.filter((column2) => column2.length > 0);
      KNOWN.set(graph, columns);
    }
    return columns;
  }
  function walk(columns, from, direction) {
    const number2 = Math.max(0, columns.findIndex((column3) => column3.includes(from)));
    const column2 = columns[number2] ?? [];
    const row = Math.max(0, column2.indexOf(from));
    if (direction === "up" || direction === "down") {
      const next = (row + (direction === "down" ? 1 : -1) + column2.length) % Math.max(1, column2.length);
      return column2[next] ?? from;
    }
    const target = columns[(number2 + (direction === "right" ? 1 : -1) + columns.length) % Math.max(1, columns.length)] ?? column2;
    const height = row - (column2.length - 1) / 2 + (target.length - 1) / 2;
    return target[Math.max(0, Math.min(target.length - 1, Math.round(height)))] ?? from;
  }
  function windowAround(columns, node, before, most) {
    const total = columns.reduce((sum, column2) => sum + column2.length, 0);
    if (total <= most) {
      return before?.complete ? before : windowOf(columns.map((column2, number2) => ({ column: column2, number: number2, above: 0 })), true);
    }
    const found = columns.findIndex((column2) => column2.includes(node));
    if (before !== null && (found < 0 || showsSurroundings(before, columns, found, node, most))) {
      return before;
    }
    const middle2 = Math.max(0, found);
    const chosen = [rowsAround(columns, middle2, node, most)];
    let room = most - chosen[0].column.length;
    for (let low = middle2, high = middle2, grown = true; grown; ) {
      grown = false;
      for (const number2 of [high + 1, low - 1]) {
        const column2 = columns[number2];
        if (column2 !== void 0 && column2.length <= room) {
          chosen.push({ column: column2, number: number2, above: 0 });
          room -= column2.length;
          low = Math.min(low, number2);
          high = Math.max(high, number2);
          grown = true;
        }
      }
    }
    return windowOf(chosen.sort((a, b) => a.number - b.number), false);
  }
  function rowsAround(columns, number2, node, most) {
    const column2 = columns[number2] ?? [];
    const above = Math.max(0, Math.min(column2.indexOf(node) - Math.floor(most / 2), column2.length - most));
    return { column: column2.slice(above, above + most), number: number2, above };
  }
  function showsSurroundings(window2, columns, middle2, node, most) {
    return window2.shown.has(node) && [middle2 - 1, middle2 + 1].every((number2) => {
      const first = columns[number2]?.[0];
      return first === void 0 || (columns[number2]?.length ?? 0) > most / 2 || window2.shown.has(first);
    });
  }
  function windowOf(parts, complete) {
    const columns = parts.map(({ column: column2 }) => column2);
    return { columns, numbers: parts.map(({ number: number2 }) => number2), above: parts.map(({ above }) => above), shown: new Set(columns.flat()), complete };
  }

  // src/views/graph/filter.ts
  function readFilter(hide, only) {
    const types = (hide ?? "").split(",");
    return { hidden: TENSOR_TYPES.filter((type) => types.includes(type)), prefix: only ?? "" };
  }
  function writeHidden(hidden) {
    return hidden.length === 0 ? null : TENSOR_TYPES.filter((type) => hidden.includes(type)).join(",");
  }
  function isVisible(graph, { hidden, prefix }, node) {
    return graph.nodes.name[node].startsWith(prefix) && !hidden.includes(graph.nodes.type[node]);
  }
  function hiddenInWords(graph, { hidden, prefix }) {
    const counts = /* @__PURE__ */ new Map();
    let others = 0;
    graph.nodes.name.forEach((name, node) => {
      const type = graph.nodes.type[node];
      if (!name.startsWith(prefix)) {
        others += 1;
      } else if (hidden.includes(type)) {
        counts.set(type, (counts.get(type) ?? 0) + 1);
      }
    });
    const parts = TENSOR_TYPES.filter((type) => counts.has(type)).map((type) => counted(counts.get(type), NOUNS[type], PLURALS[type]));
    if (others > 0) {
      parts.push(`${counted(others, "node")} with other names`);
    }
    return parts.length === 0 ? "" : `${parts.join(", ")} hidden`;
  }
  var NOUNS = { input: "input", calculated: "calculated tensor", target: "target", loss: "loss", parameter: "parameter" };
  var PLURALS = { input: "inputs", calculated: "calculated tensors", target: "targets", loss: "losses", parameter: "parameters" };

  // src/views/graph/folding.ts
  var ALL_OPEN = { level: 0, exceptions: /* @__PURE__ */ new Set() };
  var LARGEST_ADDRESS = 4e3;
  function readFolding(text2) {
    const [level = "", ...prefixes] = (text2 ?? "").slice(0, LARGEST_ADDRESS).split(",");
    return /^[0-9]{1,2}$/.test(level) ? { level: Number(level), exceptions: new Set(prefixes.filter((prefix) => prefix !== "").map(unescaped)) } : null;
  }
  function writeFolding({ level, exceptions }) {
    return [String(level), ...[...exceptions].map(escaped)].join(",");
  }
  function escaped(prefix) {
    return prefix.replace(/[%,]/g, encodeURIComponent);
  }
  function unescaped(prefix) {
    return prefix.replace(/%(25|2C)/gi, decodeURIComponent);
  }
  function isCollapsed(tree, { level, exceptions }, group) {
    return group > 0 && (level > 0 && tree.depth[group] >= level) !== exceptions.has(tree.prefix[group]);
  }
  function toggled(tree, { level, exceptions }, group) {
    const changed = new Set(exceptions);
    const prefix = tree.prefix[group];
    if (!changed.delete(prefix)) {
      changed.add(prefix);
    }
    return { level, exceptions: changed };
  }
  function collapsedInto(tree, folding) {
    const into = new Uint32Array(tree.prefix.length);
    for (let group = 1; group < into.length; group++) {
      const outer = into[tree.parent[group]];
      into[group] = outer > 0 ? outer : isCollapsed(tree, folding, group) ? group : 0;
    }
    return into;
  }
  function fittingLevel(tree, isVisible2, most) {
    const isUsed = new Uint8Array(tree.prefix.length);
    const nodes = [];
    for (let node = 0; node < tree.groupOf.length; node++) {
      const group = tree.groupOf[node];
      if (isVisible2(node)) {
        nodes[tree.depth[group]] = (nodes[tree.depth[group]] ?? 0) + 1;
        isUsed[group] = 1;
      }
    }
    const groups = [];
    for (let group = tree.prefix.length - 1; group > 0; group--) {
      if (isUsed[group] === 1) {
        groups[tree.depth[group]] = (groups[tree.depth[group]] ?? 0) + 1;
        isUsed[tree.parent[group]] = 1;
      }
    }
    let fitting = 0;
    for (let level = 1, outside = nodes[0] ?? 0; level < groups.length && outside + groups[level] <= most; level++) {
      fitting = level;
      outside += nodes[level] ?? 0;
    }
    return fitting;
  }

  // src/views/graph/prefixes.ts
  var MOST_DOTS = 20;
  var KNOWN2 = /* @__PURE__ */ new WeakMap();
  function prefixTreeOf(graph) {
    let tree = KNOWN2.get(graph);
    if (tree === void 0) {
      tree = groupByPrefix(graph.nodes.name);
      KNOWN2.set(graph, tree);
    }
    return tree;
  }
  function groupByPrefix(names) {
    const { text: text2, parent, innermost } = allPrefixes(names);
    const isGroup = whichAreGroups(parent, innermost);
    const groups = { prefix: [""], parent: [-1], depth: [0], byPrefix: /* @__PURE__ */ new Map() };
    const groupAt = [0];
    for (let k = 1; k < text2.length; k++) {
      const outer = groupAt[parent[k]];
      groupAt.push(isGroup(k) ? groups.prefix.length : outer);
      if (isGroup(k)) {
        groups.byPrefix.set(text2[k], groups.prefix.length);
        groups.prefix.push(text2[k]);
        groups.parent.push(outer);
        groups.depth.push(groups.depth[outer] + 1);
      }
    }
    return { ...groups, groupOf: Uint32Array.from(innermost, (k) => groupAt[k]) };
  }
  function allPrefixes(names) {
    const text2 = [""];
    const parent = [-1];
    const at = /* @__PURE__ */ new Map();
    const longest = names.map((name) => {
      const dots = dotsOf(name);
      let known = dots.length;
      while (known > 0 && !at.has(name.slice(0, dots[known - 1]))) {
        known -= 1;
      }
      let outer = known === 0 ? 0 : at.get(name.slice(0, dots[known - 1]));
      for (const dot of dots.slice(known)) {
        parent.push(outer);
        outer = text2.push(name.slice(0, dot)) - 1;
        at.set(text2[outer], outer);
      }
      return outer;
    });
    return { text: text2, parent, innermost: names.map((name, k) => at.get(name) ?? longest[k]) };
  }
  function dotsOf(name) {
    const dots = [];
    for (let dot = name.indexOf(".", 1); dot >= 0 && dots.length < MOST_DOTS; dot = name.indexOf(".", dot + 1)) {
      dots.push(dot);
    }
    return dots;
  }
  function whichAreGroups(parent, innermost) {
    const nodes = new Uint32Array(parent.length);
    for (const prefix of innermost) {
      nodes[prefix] += 1;
    }
    const largestPart = new Uint32Array(parent.length);
    for (let k = parent.length - 1; k > 0; k--) {
      const outer = parent[k];
      nodes[outer] += nodes[k];
      largestPart[outer] = Math.max(largestPart[outer], nodes[k]);
    }
    return (prefix) => nodes[prefix] > 1 && nodes[prefix] < innermost.length && largestPart[prefix] < nodes[prefix];
  }

  // src/views/graph/fold_buttons.tsx
  var import_jsx_runtime11 = __toESM(require_jsx_runtime(), 1);
  function FoldButtons({ store, graph, layout: { folding, items }, selected }) {
    const tree = prefixTreeOf(graph);
    if (tree.prefix.length === 1) {
      return null;
    }
    const set = (changed) => store.setView("fold", writeFolding(changed));
    const { inner, outer } = groupsAround(tree, folding, selected);
    const name = (group) => tree.prefix[group] ?? "";
    return /* @__PURE__ */ (0, import_jsx_runtime11.jsxs)("div", { class: "button-group", role: "group", "aria-label": "Groups of nodes with a common prefix", children: [
      /* @__PURE__ */ (0, import_jsx_runtime11.jsx)(
        "button",
        {
          type: "button",
          "data-testid": "fold",
          "aria-keyshortcuts": "f",
          "aria-label": outer > 0 ? `Collapse ${name(outer)}` : "Collapse the group of the selected node",
          title: outer > 0 ? `Collapse ${name(outer)} (key f)` : "The selected node is in no group that is open",
          "aria-disabled": outer === 0,
          onClick: () => outer > 0 && set(toggled(tree, folding, outer)),
          children: "Collapse"
        }
      ),
      /* @__PURE__ */ (0, import_jsx_runtime11.jsx)(
        "button",
        {
          type: "button",
          "data-testid": "unfold",
          "aria-keyshortcuts": "e",
          "aria-label": inner > 0 ? `Expand ${name(inner)}` : "Expand the group of the selected node",
          title: inner > 0 ? `Expand ${name(inner)} (key e)` : "The selected node is in no collapsed group",
          "aria-disabled": inner === 0,
          onClick: () => inner > 0 && set(toggled(tree, folding, inner)),
          children: "Expand"
        }
      ),
      /* @__PURE__ */ (0, import_jsx_runtime11.jsx)("button", { type: "button", "data-testid": "fold-all", "aria-keyshortcuts": "F", title: "Collapse all groups (key F)", onClick: () => set({ ...ALL_OPEN, level: 1 }), children: "Collapse all" }),
      /* @__PURE__ */ (0, import_jsx_runtime11.jsx)("button", { type: "button", "data-testid": "unfold-all", "aria-keyshortcuts": "E", "aria-disabled": items.groups.size === 0, title: "Expand all groups (key E)", onClick: () => set(ALL_OPEN), children: "Expand all" })
    ] });
  }
  function groupsAround(tree, folding, node) {
    const own = tree.groupOf[node] ?? 0;
    const inner = collapsedInto(tree, folding)[own] ?? 0;
    return { inner, outer: inner > 0 ? Math.max(0, tree.parent[inner]) : own };
  }
  function expanded(graph, folding, item2) {
    return toggled(prefixTreeOf(graph), folding, item2 - graph.nodes.name.length);
  }

  // src/views/graph/items.ts
  function itemsOf(graph, folding, isVisible2) {
    const count2 = graph.nodes.name.length;
    const tree = prefixTreeOf(graph);
    const into = collapsedInto(tree, folding);
    const ofNode = new Int32Array(count2).fill(-1);
    const groups = /* @__PURE__ */ new Map();
    const numbers = [];
    for (let node = 0; node < count2; node++) {
      if (!isVisible2(node)) {
        continue;
      }
      const holder = into[tree.groupOf[node]];
      const type = graph.nodes.type[node];
      const item2 = holder > 0 ? count2 + holder : node;
      ofNode[node] = item2;
      const group = groups.get(item2);
      if (item2 === node) {
        numbers.push(node);
      } else if (group === void 0) {
        groups.set(item2, { prefix: tree.prefix[holder], members: [node], type });
      } else {
        group.members.push(node);
        group.type = group.type === type ? type : "calculated";
      }
    }
    for (const [item2, { members }] of groups) {
      if (members.length === 1) {
        groups.delete(item2);
        ofNode[members[0]] = members[0];
      }
      numbers.push(members.length === 1 ? members[0] : item2);
    }
    return { numbers: numbers.sort((a, b) => a - b), ofNode, groups };
  }
  function firstNode(items, item2) {
    return items.groups.get(item2)?.members[0] ?? item2;
  }

  // src/views/graph/components.ts
  function componentsOf({ start: start2, others }) {
    const count2 = start2.length - 1;
    const component = new Uint32Array(count2);
    const met = new Uint32Array(count2);
    const earliest = new Uint32Array(count2);
    const isOpen = new Uint8Array(count2);
    const next = start2.slice(0, count2);
    const open = [];
    let time = 0;
    let components = 0;
    for (let root = 0; root < count2; root++) {
      const way = met[root] === 0 ? [root] : [];
      while (way.length > 0) {
        const node = way[way.length - 1];
        if (met[node] === 0) {
          time += 1;
          met[node] = earliest[node] = time;
          isOpen[node] = 1;
          open.push(node);
        }
        if (next[node] < start2[node + 1]) {
          const other = others[next[node]];
          next[node] += 1;
          if (met[other] === 0) {
            way.push(other);
          } else if (isOpen[other] === 1) {
            earliest[node] = Math.min(earliest[node], met[other]);
          }
          continue;
        }
        way.pop();
        const before = way[way.length - 1];
        if (before !== void 0) {
          earliest[before] = Math.min(earliest[before], earliest[node]);
        }
        if (earliest[node] === met[node]) {
          for (let last = -1; last !== node; ) {
            last = open.pop();
            isOpen[last] = 0;
            component[last] = components;
          }
          components += 1;
        }
      }
    }
    return component;
  }

  // src/views/graph/layers.ts
  var ORDER = ["parameter", "input", "calculated", "target", "loss"];
  function layersOf(items, dependents) {
    const links = withoutCircles(items, dependents);
    const placed = placeAllButParameters(items, links);
    const columns = withParameters(items, links, placed);
    return columns.map((column2) => column2.sort((a, b) => items[a].name < items[b].name ? -1 : 1));
  }
  function withoutCircles(items, { start: start2, others }) {
    const component = componentsOf({ start: start2, others });
    const isBackwards = (from, to) => component[from] === component[to] && (items[from].column - items[to].column || from - to) > 0;
    const kept = { start: new Uint32Array(start2.length), others: new Uint32Array(others.length) };
    let written = 0;
    for (let from = 0; from < items.length; from++) {
      for (let k = start2[from]; k < start2[from + 1]; k++) {
        if (!isBackwards(from, others[k])) {
          kept.others[written] = others[k];
          written += 1;
        }
      }
      kept.start[from + 1] = written;
    }
    return kept;
  }
  function placeAllButParameters(items, { start: start2, others }) {
    const missing = new Uint32Array(items.length);
    for (let k = 0; k < start2[items.length]; k++) {
      missing[others[k]] += 1;
    }
    const ready2 = new Map(ORDER.map((type) => [type, []]));
    items.forEach(({ type }, item2) => {
      if (missing[item2] === 0) {
        ready2.get(type).push(item2);
      }
    });
    const columns = [];
    for (let type = firstReady(ready2); type !== void 0; type = firstReady(ready2)) {
      const column2 = ready2.get(type);
      ready2.set(type, []);
      for (const item2 of column2) {
        for (let k = start2[item2]; k < start2[item2 + 1]; k++) {
          const other = others[k];
          missing[other] -= 1;
          if (missing[other] === 0) {
            ready2.get(items[other].type).push(other);
          }
        }
      }
      if (type !== "parameter") {
        columns.push(column2);
      }
    }
    return columns;
  }
  function firstReady(ready2) {
    return ORDER.find((type) => ready2.get(type).length > 0);
  }
  function withParameters(items, { start: start2, others }, placed) {
    const columnOf = new Map(placed.flatMap((column2, number2) => column2.map((item2) => [item2, number2])));
    const groups = /* @__PURE__ */ new Map();
    items.forEach(({ type, column: column2 }, item2) => {
      if (type === "parameter") {
        const group = groups.get(column2) ?? [];
        group.push(item2);
        groups.set(column2, group);
      }
    });
    const before = Array.from({ length: placed.length + 1 }, () => []);
    for (const number2 of [...groups.keys()].sort((a, b) => a - b)) {
      const group = groups.get(number2);
      let first = placed.length;
      for (const item2 of group) {
        for (let k = start2[item2]; k < start2[item2 + 1]; k++) {
          first = Math.min(first, columnOf.get(others[k]) ?? placed.length);
        }
      }
      before[first].push(group);
    }
    return [...placed.flatMap((own, number2) => [...before[number2], own]), ...before[placed.length]];
  }

  // src/views/graph/adjacency.ts
  var KNOWN3 = /* @__PURE__ */ new WeakMap();
  function adjacencyOf(graph) {
    let adjacency = KNOWN3.get(graph);
    if (adjacency === void 0) {
      adjacency = build(graph);
      KNOWN3.set(graph, adjacency);
    }
    return adjacency;
  }
  var KNOWN_INCIDENCE = /* @__PURE__ */ new WeakMap();
  function incidenceOf(graph) {
    let incidence = KNOWN_INCIDENCE.get(graph);
    if (incidence === void 0) {
      const [ends, edges] = [[], []];
      graph.from.forEach((from, k) => {
        const [source, sink] = [graph.tensors.node[from], graph.tensors.node[graph.to[k]]];
        if (source !== sink) {
          ends.push(source, sink);
          edges.push(k, k);
        }
      });
      const withoutGradient = new Uint8Array(graph.from.length);
      graph.without_gradient.forEach((k) => withoutGradient[k] = 1);
      incidence = { links: linksOf(graph.nodes.name.length, Uint32Array.from(ends), Uint32Array.from(edges)).links, withoutGradient };
      KNOWN_INCIDENCE.set(graph, incidence);
    }
    return incidence;
  }
  function build(graph) {
    const count2 = graph.nodes.name.length;
    const withoutGradient = new Set(graph.without_gradient);
    const pairs = /* @__PURE__ */ new Map();
    graph.from.forEach((from, k) => {
      const [source, sink] = [graph.tensors.node[from], graph.tensors.node[graph.to[k]]];
      if (source !== sink) {
        const pair = source * count2 + sink;
        pairs.set(pair, (pairs.get(pair) ?? false) || !withoutGradient.has(k));
      }
    });
    const sources = Uint32Array.from(pairs.keys(), (pair) => Math.floor(pair / count2));
    const sinks = Uint32Array.from(pairs.keys(), (pair) => pair % count2);
    const carries = Uint8Array.from(pairs.values(), Number);
    const dependents = linksOf(count2, sources, sinks);
    return {
      dependencies: linksOf(count2, sinks, sources).links,
      dependents: dependents.links,
      carriesGradient: Uint8Array.from(dependents.order, (pair) => carries[pair])
    };
  }
  function linksOf(count2, ends, others) {
    const start2 = new Uint32Array(count2 + 1);
    for (const end of ends) {
      start2[end + 1] += 1;
    }
    for (let node = 0; node < count2; node++) {
      start2[node + 1] += start2[node];
    }
    const next = start2.slice();
    const order = new Uint32Array(ends.length);
    ends.forEach((end, pair) => {
      order[next[end]] = pair;
      next[end] += 1;
    });
    return { links: { start: start2, others: order.map((pair) => others[pair]) }, order };
  }

  // src/views/graph/quotient.ts
  function quotientOf(graph, items) {
    const { dependents, carriesGradient } = adjacencyOf(graph);
    const placeOf2 = new Map(items.numbers.map((item2, place2) => [item2, place2]));
    const placeOfNode = Int32Array.from(items.ofNode, (item2) => placeOf2.get(item2) ?? -1);
    const count2 = items.numbers.length;
    const start2 = new Uint32Array(count2 + 1);
    const others = [];
    const carries = [];
    const at = new Int32Array(count2).fill(-1);
    items.numbers.forEach((item2, place2) => {
      start2[place2] = others.length;
      for (const node of items.groups.get(item2)?.members ?? [item2]) {
        for (let k = dependents.start[node]; k < dependents.start[node + 1]; k++) {
          const other = placeOfNode[dependents.others[k]];
          if (other < 0 || other === place2) {
            continue;
          }
          if (at[other] < start2[place2]) {
            at[other] = others.push(other) - 1;
            carries.push(0);
          }
          carries[at[other]] |= carriesGradient[k];
        }
      }
    });
    start2[count2] = others.length;
    const links = { start: start2, others: Uint32Array.from(others) };
    return { placeOf: placeOf2, dependents: links, dependencies: reversed(links), carriesGradient: Uint8Array.from(carries) };
  }
  function reversed({ start: start2, others }) {
    const from = { start: new Uint32Array(start2.length), others: new Uint32Array(others.length) };
    for (const other of others) {
      from.start[other + 1] += 1;
    }
    for (let k = 1; k < start2.length; k++) {
      from.start[k] += from.start[k - 1];
    }
    const next = from.start.slice();
    for (let k = 0; k + 1 < start2.length; k++) {
      for (let link = start2[k]; link < start2[k + 1]; link++) {
        const other = others[link];
        from.others[next[other]] = k;
        next[other] += 1;
      }
    }
    return from;
  }

  // src/views/graph/relations.ts
  function neighboursOf2(graph, node, role, items) {
    const dependencies = /* @__PURE__ */ new Map();
    const dependents = /* @__PURE__ */ new Map();
    const { tensors } = graph;
    const { links, withoutGradient } = incidenceOf(graph);
    const itemOf = (tensor) => items === void 0 ? tensors.node[tensor] : items.ofNode[tensors.node[tensor]];
    const item2 = items === void 0 ? node : items.ofNode[node] ?? -1;
    const note = (found, other, tensor, carriesGradient) => {
      const known = found.get(other);
      const own = tensors.node[tensor] === node && tensors.role[tensor] === role;
      if (known === void 0 || own && !known.own) {
        found.set(other, { node: other, own, carriesGradient });
      } else if (own === known.own) {
        known.carriesGradient ||= carriesGradient;
      }
    };
    for (const member of items?.groups.get(item2)?.members ?? (item2 < 0 ? [] : [node])) {
      for (let k = links.start[member]; k < links.start[member + 1]; k++) {
        const edge = links.others[k];
        const [from, to] = [graph.from[edge], graph.to[edge]];
        const [source, sink] = [itemOf(from), itemOf(to)];
        if (source !== sink && sink === item2 && source >= 0) {
          note(dependencies, source, to, withoutGradient[edge] === 0);
        } else if (source !== sink && source === item2 && sink >= 0) {
          note(dependents, sink, from, withoutGradient[edge] === 0);
        }
      }
    }
    return { dependencies: sorted(dependencies), dependents: sorted(dependents) };
  }
  function sorted(found) {
    return [...found.values()].sort((a, b) => a.node - b.node);
  }
  var KNOWN_ENDS = /* @__PURE__ */ new WeakMap();
  function endsOf(graph) {
    let ends = KNOWN_ENDS.get(graph);
    if (ends === void 0) {
      const count2 = graph.nodes.name.length;
      ends = { hasDependencies: new Array(count2).fill(false), hasDependents: new Array(count2).fill(false) };
      for (const [k, from] of graph.from.entries()) {
        const [source, sink] = [graph.tensors.node[from], graph.tensors.node[graph.to[k]]];
        if (source !== sink) {
          ends.hasDependents[source] = true;
          ends.hasDependencies[sink] = true;
        }
      }
      KNOWN_ENDS.set(graph, ends);
    }
    return ends;
  }
  var KNOWN_SHAPES = /* @__PURE__ */ new WeakMap();
  function shapeKey(graph) {
    let key = KNOWN_SHAPES.get(graph);
    if (key === void 0) {
      const { name, type, label, column: column2, row } = graph.nodes;
      key = JSON.stringify([name, type, label, column2, row, graph.columns.heading, endsOf(graph)]);
      KNOWN_SHAPES.set(graph, key);
    }
    return key;
  }

  // src/views/graph/layout.ts
  var MOST_NODES = 600;
  var MOST_ITEMS = 300;
  function layoutOf(graph, chosen, filter) {
    const isDrawn = (node) => isVisible(graph, filter, node);
    const folding = chosen ?? startingFolding(graph, isDrawn);
    const items = itemsOf(graph, folding, isDrawn);
    return items.groups.size === 0 ? asExported(graph, folding, items) : collapsed(graph, folding, items);
  }
  function startingFolding(graph, isDrawn) {
    const { length } = graph.nodes.name.filter((_, node) => isDrawn(node));
    return length <= MOST_NODES ? ALL_OPEN : { ...ALL_OPEN, level: fittingLevel(prefixTreeOf(graph), isDrawn, MOST_ITEMS) };
  }
  function asExported(graph, folding, items) {
    const isComplete = items.numbers.length === graph.nodes.name.length;
    const all3 = columnsOf(graph);
    const columns = isComplete ? all3 : all3.map((column2) => column2.filter((node) => items.ofNode[node] === node)).filter((column2) => column2.length > 0);
    const headings = columns.map((column2) => graph.columns.heading[graph.nodes.column[column2[0]]] ?? "");
    const key = isComplete ? shapeKey(graph) : JSON.stringify(items.numbers) + shapeKey(graph);
    return { key, folding, items, columns, headings, quotient: null, labelOf: (item2) => nodeLabel(graph.nodes.label[item2]) };
  }
  function collapsed(graph, folding, items) {
    const quotient = quotientOf(graph, items);
    const layered = items.numbers.map((item2) => {
      const node = firstNode(items, item2);
      const group = items.groups.get(item2);
      return { type: group?.type ?? graph.nodes.type[node], name: group?.prefix ?? graph.nodes.name[node], column: graph.nodes.column[node] };
    });
    const places = layersOf(layered, quotient.dependents);
    const headings = places.map((column2) => headingOf(column2.map((place2) => layered[place2].name)));
    const columns = places.map((column2) => column2.map((place2) => items.numbers[place2]));
    const labels = /* @__PURE__ */ new Map();
    columns.forEach((column2, number2) => {
      for (const [row, item2] of column2.entries()) {
        const label = layered[places[number2][row]].name.slice(headings[number2].length);
        labels.set(item2, items.groups.has(item2) ? `${label} (${items.groups.get(item2).members.length})` : nodeLabel(label));
      }
    });
    const key = JSON.stringify([columns, [...labels.values()]]) + shapeKey(graph);
    return { key, folding, items, columns, headings, quotient, labelOf: (item2) => labels.get(item2) ?? "" };
  }
  function headingOf(names) {
    const [first, last] = [names[0], names[names.length - 1]];
    let shared = 0;
    while (shared < Math.min(first.length - 1, last.length) && first[shared] === last[shared]) {
      shared += 1;
    }
    return first.slice(0, first.slice(0, shared).lastIndexOf(".") + 1);
  }
  function hasEnds(graph, { items, quotient }, item2) {
    if (quotient === null || !items.groups.has(item2)) {
      const ends = endsOf(graph);
      return { dependencies: ends.hasDependencies[item2], dependents: ends.hasDependents[item2] };
    }
    const place2 = quotient.placeOf.get(item2);
    const any = ({ start: start2 }) => start2[place2 + 1] > start2[place2];
    return { dependencies: any(quotient.dependencies), dependents: any(quotient.dependents) };
  }

  // src/views/graph/placement.ts
  var FONT_SIZE = 13;
  var NODE_HEIGHT = 28;
  var BADGE_WIDTH = 20;
  var ROW_HEIGHT = 42;
  var COLUMN_GAP = 48;
  var LONGEST_LABEL = 28;
  var NARROWEST = 76;
  var PADDING = 10;
  var HEADING_DISTANCE = 12;
  var TYPE_LETTERS = { input: "I", calculated: "C", target: "T", loss: "L", parameter: "P" };
  function placeGraph(graph, layout, window2, measure) {
    const { name, type } = graph.nodes;
    const nodes = [];
    const headings = [];
    const columns = [];
    let left = 0;
    for (const [place2, members] of window2.columns.entries()) {
      const labels = members.map((item2) => elided(layout.labelOf(item2), LONGEST_LABEL));
      const widths = labels.map((text2) => Math.ceil(measure(text2)));
      const width = widths.reduce((most, own) => Math.max(most, own + BADGE_WIDTH + 2 * PADDING), NARROWEST);
      const x = left + width / 2;
      const top = -((members.length - 1) * ROW_HEIGHT) / 2;
      members.forEach((item2, k) => {
        const group = layout.items.groups.get(item2) ?? null;
        const ownType = group?.type ?? type[item2];
        const has = hasEnds(graph, layout, item2);
        nodes.push({
          node: item2,
          id: `n${item2}`,
          name: group?.prefix ?? name[item2],
          label: labels[k],
          labelWidth: widths[k],
          type: ownType,
          group,
          x,
          y: top + k * ROW_HEIGHT,
          width,
          dottedLeft: ownType !== "parameter" && !has.dependencies,
          dottedRight: ownType !== "parameter" && !has.dependents
        });
      });
      columns.push({ left, right: left + width, middles: members.map((_, k) => top + k * ROW_HEIGHT) });
      const full = layout.headings[window2.numbers[place2]] ?? "";
      if (full !== "") {
        const text2 = fitted(full, width + COLUMN_GAP - 16, measure);
        headings.push({ x, y: top - NODE_HEIGHT / 2 - HEADING_DISTANCE, text: text2, full, width: measure(text2) });
      }
      left += width + COLUMN_GAP;
    }
    return { nodes, headings, columns };
  }
  function fitted(text2, width, measure) {
    const size = measure(text2);
    return size <= width ? text2 : elided(text2, Math.max(3, Math.floor(text2.length * width / size)));
  }

  // src/views/graph/legend.tsx
  var import_jsx_runtime12 = __toESM(require_jsx_runtime(), 1);
  function Legend({ store, graph, filter: { hidden } }) {
    const present = TENSOR_TYPES.filter((type) => graph.nodes.type.includes(type));
    const toggle = (type) => store.setView("hide", writeHidden(hidden.includes(type) ? hidden.filter((other) => other !== type) : [...hidden, type]));
    return /* @__PURE__ */ (0, import_jsx_runtime12.jsxs)("ul", { class: "legend", "aria-label": "Legend", children: [
      present.map((type) => /* @__PURE__ */ (0, import_jsx_runtime12.jsx)("li", { children: /* @__PURE__ */ (0, import_jsx_runtime12.jsxs)(
        "button",
        {
          type: "button",
          class: "legend-type",
          "data-testid": `legend-${type}`,
          "aria-pressed": !hidden.includes(type),
          title: hidden.includes(type) ? `Show nodes of this type: ${type}` : `Hide nodes of this type: ${type}`,
          onClick: () => toggle(type),
          children: [
            /* @__PURE__ */ (0, import_jsx_runtime12.jsx)("span", { class: `legend-badge type-${type}`, "aria-hidden": "true", children: TYPE_LETTERS[type] }),
            type
          ]
        }
      ) }, type)),
      /* @__PURE__ */ (0, import_jsx_runtime12.jsxs)("li", { children: [
        /* @__PURE__ */ (0, import_jsx_runtime12.jsx)("span", { class: "legend-side", "aria-hidden": "true" }),
        "dotted: depends on nothing (left), needed by nothing (right)"
      ] }),
      graph.without_gradient.length > 0 && /* @__PURE__ */ (0, import_jsx_runtime12.jsxs)("li", { "data-testid": "legend-without-gradient", children: [
        /* @__PURE__ */ (0, import_jsx_runtime12.jsx)("span", { class: "legend-dashes", "aria-hidden": "true" }),
        "dashed: values, but no gradient"
      ] })
    ] });
  }
  var SUGGESTIONS = 50;
  function PrefixField({ store, graph, filter: { prefix } }) {
    const offered = prefixTreeOf(graph).prefix.slice(1).map((known) => `${known}.`).filter((known) => known.startsWith(prefix) && known !== prefix);
    return /* @__PURE__ */ (0, import_jsx_runtime12.jsxs)("div", { class: "graph-option", children: [
      /* @__PURE__ */ (0, import_jsx_runtime12.jsx)("label", { for: "graph-prefix", children: "Prefix" }),
      /* @__PURE__ */ (0, import_jsx_runtime12.jsx)(
        "input",
        {
          id: "graph-prefix",
          class: "prefix-field",
          type: "text",
          list: "graph-prefixes",
          "data-testid": "graph-prefix",
          placeholder: "all names",
          autocomplete: "off",
          spellcheck: false,
          value: prefix,
          onInput: (event) => store.setView("only", event.currentTarget.value || null)
        }
      ),
      /* @__PURE__ */ (0, import_jsx_runtime12.jsx)("datalist", { id: "graph-prefixes", children: offered.slice(0, SUGGESTIONS).map((known) => /* @__PURE__ */ (0, import_jsx_runtime12.jsx)("option", { value: known }, known)) }),
      prefix !== "" && /* @__PURE__ */ (0, import_jsx_runtime12.jsx)("button", { type: "button", class: "link", "data-testid": "graph-prefix-clear", onClick: () => store.setView("only", null), children: "clear" })
    ] });
  }

  // src/views/graph/overview_map.tsx
  var import_hooks7 = __toESM(require_hooks(), 1);

  // src/views/graph/overview.ts
  function highest(columns) {
    return columns.reduce((most, column2) => Math.max(most, column2.length), 1);
  }
  function frameOf(part, columns, window2, placement) {
    const [left, right] = [columnAt(part.left, window2, placement.columns), columnAt(part.right, window2, placement.columns)];
    const shift = shiftOf(Math.round((left + right) / 2), columns, window2);
    return { left, right, top: part.top / ROW_HEIGHT + shift, bottom: part.bottom / ROW_HEIGHT + shift };
  }
  function targetOf({ column: column2, row }, columns, window2, placement) {
    const number2 = Math.max(0, Math.min(columns.length - 1, Math.round(column2)));
    const own = columns[number2] ?? [];
    const item2 = own[Math.max(0, Math.min(own.length - 1, Math.round(row + (own.length - 1) / 2)))] ?? -1;
    const place2 = window2.numbers.indexOf(number2);
    const placed = placement.columns[place2];
    if (placed === void 0 || !window2.shown.has(item2)) {
      return { item: item2, at: null };
    }
    const share = Math.max(-0.5, Math.min(0.5, column2 - number2));
    const x = middleOf(placed) + share * (placed.right - placed.left);
    return { item: item2, at: { x, y: (row - shiftOf(number2, columns, window2)) * ROW_HEIGHT } };
  }
  function middleOf({ left, right }) {
    return (left + right) / 2;
  }
  function columnAt(x, { numbers }, placed) {
    const after = placed.findIndex((column2) => middleOf(column2) > x);
    const first = Math.max(0, Math.min(placed.length - 2, (after < 0 ? placed.length : after) - 1));
    const [one, two] = [placed[first], placed[first + 1]];
    if (one === void 0 || two === void 0) {
      const width = one === void 0 ? 1 : one.right - one.left;
      return (numbers[0] ?? 0) + (one === void 0 ? 0 : (x - middleOf(one)) / width);
    }
    return numbers[first] + (x - middleOf(one)) / (middleOf(two) - middleOf(one));
  }
  function shiftOf(number2, columns, window2) {
    const place2 = window2.numbers.indexOf(number2);
    const drawn = window2.columns[place2];
    return drawn === void 0 ? 0 : window2.above[place2] + (drawn.length - 1) / 2 - (columns[number2].length - 1) / 2;
  }

  // src/views/graph/overview_map.tsx
  var import_jsx_runtime13 = __toESM(require_jsx_runtime(), 1);
  var WIDTH2 = 200;
  var LARGEST_HEIGHT = 110;
  var SMALLEST_HEIGHT = 26;
  var PADDING2 = 4;
  var LARGEST_DOT = 5;
  var SMALLEST_DOT = 1.2;
  function Overview({ graph, layout, drawn, colors }) {
    const [hidden, setHidden] = (0, import_hooks7.useState)(false);
    const part = useVisiblePart(drawn.canvas, drawn);
    if (part === null || part.hasAll && drawn.window.complete) {
      return null;
    }
    return /* @__PURE__ */ (0, import_jsx_runtime13.jsxs)("div", { class: "overview", children: [
      !hidden && /* @__PURE__ */ (0, import_jsx_runtime13.jsx)(OverviewPicture, { graph, layout, drawn, colors, part }),
      /* @__PURE__ */ (0, import_jsx_runtime13.jsx)("button", { type: "button", class: "overview-button", "data-testid": "overview-toggle", "aria-keyshortcuts": "o", "aria-pressed": !hidden, title: "Key o", onClick: () => setHidden(!hidden), children: "Overview" })
    ] });
  }
  function useVisiblePart(canvas, drawn) {
    const [part, setPart] = (0, import_hooks7.useState)(null);
    (0, import_hooks7.useEffect)(() => {
      const update = () => setPart(canvas?.visiblePart() ?? null);
      update();
      return canvas?.onView(update);
    }, [canvas, drawn.placement]);
    return part;
  }
  function OverviewPicture({ graph, layout, drawn, colors, part }) {
    const { columns } = layout;
    const canvas = (0, import_hooks7.useRef)(null);
    const rows = highest(columns);
    const height = Math.max(SMALLEST_HEIGHT, Math.min(LARGEST_HEIGHT, (LARGEST_DOT + 1) * rows + 2 * PADDING2));
    const scale = { x: (WIDTH2 - 2 * PADDING2) / Math.max(1, columns.length), y: Math.min(LARGEST_DOT + 1, (height - 2 * PADDING2) / rows) };
    (0, import_hooks7.useLayoutEffect)(() => {
      if (canvas.current !== null) {
        paintDots(canvas.current, graph, layout, colors, drawn.palette, scale, height);
      }
    }, [layout.key, colors, drawn.palette]);
    const goTo = (event) => {
      const box = canvas.current?.getBoundingClientRect();
      if (box !== void 0) {
        const place2 = { column: (event.clientX - box.left - PADDING2) / scale.x - 0.5, row: (event.clientY - box.top - height / 2) / scale.y };
        const { item: item2, at } = targetOf(place2, columns, drawn.window, drawn.placement);
        if (at === null) {
          drawn.lookAt(item2);
        } else {
          drawn.canvas?.centerAt(at.x, at.y);
        }
      }
    };
    return /* @__PURE__ */ (0, import_jsx_runtime13.jsxs)(
      "div",
      {
        class: "overview-picture",
        style: { height: `${height}px` },
        "data-testid": "overview",
        role: "img",
        "aria-label": "The whole graph, and the part of it that is in view. A click moves the view.",
        onPointerDown: (event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          goTo(event);
        },
        onPointerMove: (event) => event.buttons === 1 && goTo(event),
        children: [
          /* @__PURE__ */ (0, import_jsx_runtime13.jsx)("canvas", { ref: canvas }),
          /* @__PURE__ */ (0, import_jsx_runtime13.jsx)("div", { class: "overview-view", "data-testid": "overview-view", style: viewStyle(frameOf(part, columns, drawn.window, drawn.placement), scale, height) })
        ]
      }
    );
  }
  function viewStyle(frame, scale, height) {
    const across = (column2) => Math.max(0, Math.min(WIDTH2, PADDING2 + (column2 + 0.5) * scale.x));
    const down = (row) => Math.max(0, Math.min(height, height / 2 + row * scale.y));
    const [left, right, top, bottom] = [across(frame.left), across(frame.right), down(frame.top), down(frame.bottom)];
    return { left: `${left}px`, top: `${top}px`, width: `${right - left}px`, height: `${bottom - top}px` };
  }
  function paintDots(canvas, graph, layout, colors, palette, scale, height) {
    const context = canvas.getContext("2d");
    const ratio = window.devicePixelRatio || 1;
    canvas.width = WIDTH2 * ratio;
    canvas.height = height * ratio;
    if (context === null) {
      return;
    }
    context.scale(ratio, ratio);
    const size = (room) => Math.max(SMALLEST_DOT, Math.min(LARGEST_DOT, room * 0.8));
    const dot = { width: size(scale.x), height: size(scale.y) };
    layout.columns.forEach((column2, number2) => {
      const x = PADDING2 + (number2 + 0.5) * scale.x - dot.width / 2;
      column2.forEach((item2, row) => {
        const type = layout.items.groups.get(item2)?.type ?? graph.nodes.type[firstNode(layout.items, item2)];
        context.fillStyle = colors === null ? palette.line[type] : colorOfDot(colors[item2], palette);
        context.fillRect(x, height / 2 + (row - (column2.length - 1) / 2) * scale.y - dot.height / 2, dot.width, dot.height);
      });
    });
  }
  function colorOfDot(color, palette) {
    const isBad2 = color !== void 0 && color.sign !== "" && color.sign !== "0";
    return color?.fill ?? (isBad2 ? palette.bad : palette.neutral);
  }

  // src/views/graph/toolbar.tsx
  var import_hooks8 = __toESM(require_hooks(), 1);
  var import_jsx_runtime14 = __toESM(require_jsx_runtime(), 1);
  var DIRECTIONS = [
    { direction: "left", sign: "\u2190", name: "Select the node to the left" },
    { direction: "up", sign: "\u2191", name: "Select the node above" },
    { direction: "down", sign: "\u2193", name: "Select the node below" },
    { direction: "right", sign: "\u2192", name: "Select the node to the right" }
  ];
  var ZOOM_STEP = 1.3;
  var SUGGESTIONS2 = 50;
  function GraphToolbar({ store, graph, layout, selected, canvas, go }) {
    return /* @__PURE__ */ (0, import_jsx_runtime14.jsxs)("div", { class: "toolbar", role: "group", "aria-label": "Graph", children: [
      /* @__PURE__ */ (0, import_jsx_runtime14.jsx)("div", { class: "button-group", children: DIRECTIONS.map(({ direction, sign, name }) => /* @__PURE__ */ (0, import_jsx_runtime14.jsx)("button", { type: "button", "data-testid": `walk-${direction}`, "aria-label": name, title: `Arrow key ${direction}`, onClick: () => go(direction), children: sign }, direction)) }),
      /* @__PURE__ */ (0, import_jsx_runtime14.jsxs)("div", { class: "button-group", children: [
        /* @__PURE__ */ (0, import_jsx_runtime14.jsx)("button", { type: "button", "data-testid": "zoom-out", "aria-keyshortcuts": "-", "aria-label": "Zoom out", title: "Key -", onClick: () => canvas?.zoomBy(1 / ZOOM_STEP), children: "\u2212" }),
        /* @__PURE__ */ (0, import_jsx_runtime14.jsx)("button", { type: "button", "data-testid": "zoom-in", "aria-keyshortcuts": "+", "aria-label": "Zoom in", title: "Key +", onClick: () => canvas?.zoomBy(ZOOM_STEP), children: "+" }),
        /* @__PURE__ */ (0, import_jsx_runtime14.jsx)("button", { type: "button", "data-testid": "zoom-fit", "aria-keyshortcuts": "0", title: "Key 0", onClick: () => canvas?.fit(), children: "Fit" })
      ] }),
      /* @__PURE__ */ (0, import_jsx_runtime14.jsx)(NodeSearch, { store, graph }),
      /* @__PURE__ */ (0, import_jsx_runtime14.jsx)(FoldButtons, { store, graph, layout, selected })
    ] });
  }
  function NodeSearch({ store, graph }) {
    const [text2, setText] = (0, import_hooks8.useState)("");
    const wanted = text2.trim().toLowerCase();
    const matches = wanted === "" ? [] : graph.nodes.name.filter((name) => name.toLowerCase().includes(wanted));
    const choose = (typed) => {
      const found = graph.nodes.name.find((name) => name === typed.trim()) ?? matches[0];
      if (found !== void 0) {
        store.selectNode(found);
        setText("");
      }
    };
    return /* @__PURE__ */ (0, import_jsx_runtime14.jsxs)(
      "form",
      {
        class: "search",
        role: "search",
        onSubmit: (event) => {
          event.preventDefault();
          choose(text2);
          event.currentTarget.querySelector("input")?.blur();
        },
        children: [
          /* @__PURE__ */ (0, import_jsx_runtime14.jsx)(
            "input",
            {
              type: "text",
              list: "node-names",
              "data-testid": "node-search",
              "aria-keyshortcuts": "/",
              "aria-label": "Find a node by name",
              placeholder: "Find a node (/)",
              autocomplete: "off",
              spellcheck: false,
              value: text2,
              onInput: (event) => {
                setText(event.currentTarget.value);
                if (event.inputType === "insertReplacementText") {
                  choose(event.currentTarget.value);
                }
              }
            }
          ),
          /* @__PURE__ */ (0, import_jsx_runtime14.jsx)("datalist", { id: "node-names", children: matches.slice(0, SUGGESTIONS2).map((name) => /* @__PURE__ */ (0, import_jsx_runtime14.jsx)("option", { value: name }, name)) }),
          /* @__PURE__ */ (0, import_jsx_runtime14.jsx)("span", { class: "search-count", "aria-live": "polite", children: wanted !== "" && (matches.length === 0 ? "no match" : `${matches.length} found`) })
        ]
      }
    );
  }

  // src/views/graph/tooltip.tsx
  var import_jsx_runtime15 = __toESM(require_jsx_runtime(), 1);
  function NodeTooltip({ graph, layout, hover: { node, x, y }, colored }) {
    const group = layout.items.groups.get(node);
    const name = group?.prefix ?? graph.nodes.name[node];
    return name === void 0 ? null : /* @__PURE__ */ (0, import_jsx_runtime15.jsxs)("div", { class: "graph-tooltip", "data-testid": "graph-tooltip", style: { left: `${x}px`, top: `${y}px` }, "aria-hidden": "true", children: [
      /* @__PURE__ */ (0, import_jsx_runtime15.jsx)("strong", { children: name }),
      group === void 0 ? /* @__PURE__ */ (0, import_jsx_runtime15.jsx)(OfNode, { graph, node, colored }) : /* @__PURE__ */ (0, import_jsx_runtime15.jsx)(OfGroup, { graph, group, colored })
    ] });
  }
  function OfNode({ graph, node, colored }) {
    const roles = graph.tensors.node.filter((own) => own === node).length;
    return /* @__PURE__ */ (0, import_jsx_runtime15.jsxs)(import_jsx_runtime15.Fragment, { children: [
      /* @__PURE__ */ (0, import_jsx_runtime15.jsx)("span", { children: graph.nodes.type[node] }),
      roles > 1 && /* @__PURE__ */ (0, import_jsx_runtime15.jsx)("span", { children: counted(roles, "role") }),
      colored !== null && /* @__PURE__ */ (0, import_jsx_runtime15.jsx)("span", { children: numberInWords(colored, node) })
    ] });
  }
  function OfGroup({ graph, group: { members }, colored }) {
    const counts = TENSOR_TYPES.map((type) => ({ type, count: members.filter((node) => graph.nodes.type[node] === type).length }));
    const strongest = colored === null ? void 0 : strongestMember(members, colored.numbers);
    return /* @__PURE__ */ (0, import_jsx_runtime15.jsxs)(import_jsx_runtime15.Fragment, { children: [
      /* @__PURE__ */ (0, import_jsx_runtime15.jsxs)("span", { children: [
        counted(members.length, "node"),
        ": ",
        counts.filter(({ count: count2 }) => count2 > 0).map(({ type, count: count2 }) => `${count2} ${type}`).join(", ")
      ] }),
      colored !== null && /* @__PURE__ */ (0, import_jsx_runtime15.jsx)("span", { children: strongest === void 0 ? `no ${colored.statistic}` : `largest magnitude: ${numberInWords(colored, strongest)} in ${graph.nodes.name[strongest]}` }),
      /* @__PURE__ */ (0, import_jsx_runtime15.jsx)("span", { children: "double click to expand" })
    ] });
  }
  function numberInWords({ statistic, numbers }, node) {
    const number2 = numbers[node];
    if (number2 === void 0) {
      return `no ${statistic}`;
    }
    const text2 = `${statistic} ${brief(number2.value)}`;
    return number2.among > 1 ? `${text2} (role ${roleLabel(number2.role)}, one of ${number2.among})` : text2;
  }

  // src/views/graph/trace.ts
  var TRACES = ["ancestors", "descendants", "both", "paths"];
  var ANCESTOR = 1;
  var DESCENDANT = 2;
  function readTrace(text2) {
    return TRACES.find((kind) => kind === text2) ?? null;
  }
  function traceOf(graph, selected, kind, to = -1) {
    const { dependencies, dependents } = adjacencyOf(graph);
    const sides = new Uint8Array(graph.nodes.name.length);
    const trace = { kind, sides, ancestors: 0, descendants: 0, between: 0, to, connected: false };
    if (selected < 0) {
      return trace;
    }
    if (kind === "paths") {
      return tracePaths(trace, selected, dependencies, dependents);
    }
    if (kind !== "descendants") {
      trace.ancestors = mark(sides, reached(dependencies, selected), ANCESTOR) - 1;
    }
    if (kind !== "ancestors") {
      trace.descendants = mark(sides, reached(dependents, selected), DESCENDANT) - 1;
    }
    return trace;
  }
  function tracePaths(trace, selected, dependencies, dependents) {
    const { sides, to } = trace;
    sides[selected] = ANCESTOR;
    if (to < 0 || to === selected) {
      return trace;
    }
    sides[to] = DESCENDANT;
    for (const [first, last] of [[selected, to], [to, selected]]) {
      const after = reached(dependents, first);
      if (after[last] === 1) {
        const before = reached(dependencies, last);
        trace.between = mark(sides, after.map((isAfter, node) => isAfter & before[node]), ANCESTOR) - 2;
        trace.connected = true;
      }
    }
    return trace;
  }
  function reached(links, from) {
    const count2 = links.start.length - 1;
    const found = new Uint8Array(count2);
    const queue = new Uint32Array(count2);
    queue[0] = from;
    found[from] = 1;
    for (let read = 0, written = 1; read < written; read++) {
      const node = queue[read];
      for (let k = links.start[node]; k < links.start[node + 1]; k++) {
        const other = links.others[k];
        if (found[other] === 0) {
          found[other] = 1;
          queue[written] = other;
          written += 1;
        }
      }
    }
    return found;
  }
  function mark(sides, found, side2) {
    let count2 = 0;
    for (let node = 0; node < found.length; node++) {
      if (found[node] === 1) {
        sides[node] |= side2;
        count2 += 1;
      }
    }
    return count2;
  }
  function withGroups(trace, items) {
    const sides = new Uint8Array(Math.max(trace.sides.length, ...items.numbers.slice(-1).map((last) => last + 1)));
    sides.set(trace.sides);
    for (const [item2, { members }] of items.groups) {
      sides[item2] = members.reduce((all3, node) => all3 | trace.sides[node], 0);
    }
    return { ...trace, sides };
  }
  function tracedEdges(graph, trace, items, isDrawn, most) {
    const { dependents, carriesGradient } = adjacencyOf(graph);
    const edges = /* @__PURE__ */ new Map();
    for (let node = 0; node < items.ofNode.length; node++) {
      const side2 = trace.sides[node];
      const from = items.ofNode[node];
      if (side2 === 0 || !isDrawn(from)) {
        continue;
      }
      for (let k = dependents.start[node]; k < dependents.start[node + 1]; k++) {
        const to = items.ofNode[dependents.others[k]];
        if ((side2 & trace.sides[dependents.others[k]]) !== 0 && to !== from && isDrawn(to)) {
          const known = edges.get(`${from}-${to}`);
          edges.set(`${from}-${to}`, { from, to, carriesGradient: carriesGradient[k] === 1 || known?.carriesGradient === true });
          if (edges.size > most) {
            return [];
          }
        }
      }
    }
    return [...edges.values()];
  }

  // src/views/graph/trace_bar.tsx
  var import_jsx_runtime16 = __toESM(require_jsx_runtime(), 1);
  var LONGEST_NAME = 40;
  function TraceBar({ store, node, trace, to }) {
    const choose = (kind2) => {
      store.setView("trace", kind2 || null);
      store.setView("to", kind2 === "paths" ? node : null);
    };
    const kind = trace?.kind ?? "";
    return /* @__PURE__ */ (0, import_jsx_runtime16.jsxs)("div", { class: "graph-option", role: "group", "aria-label": "Trace through the graph", children: [
      /* @__PURE__ */ (0, import_jsx_runtime16.jsx)("label", { for: "graph-trace", children: "Trace" }),
      /* @__PURE__ */ (0, import_jsx_runtime16.jsxs)("select", { id: "graph-trace", "data-testid": "graph-trace", value: kind, onChange: (event) => choose(event.currentTarget.value), children: [
        /* @__PURE__ */ (0, import_jsx_runtime16.jsx)("option", { value: "", selected: kind === "", children: "nothing" }),
        /* @__PURE__ */ (0, import_jsx_runtime16.jsx)("option", { value: "ancestors", selected: kind === "ancestors", children: "what it comes from" }),
        /* @__PURE__ */ (0, import_jsx_runtime16.jsx)("option", { value: "descendants", selected: kind === "descendants", children: "what comes from it" }),
        /* @__PURE__ */ (0, import_jsx_runtime16.jsx)("option", { value: "both", selected: kind === "both", children: "both" }),
        /* @__PURE__ */ (0, import_jsx_runtime16.jsx)("option", { value: "paths", selected: kind === "paths", children: "paths from here" })
      ] }),
      trace !== null && /* @__PURE__ */ (0, import_jsx_runtime16.jsx)("span", { class: "soft", role: "status", "data-testid": "trace-count", children: traceInWords(trace, node, to) })
    ] });
  }
  function traceInWords(trace, node, to) {
    const [here, other] = [node, to].map((name) => `\u201C${elided(nodeLabel(name), LONGEST_NAME)}\u201D`);
    switch (trace.kind) {
      case "ancestors":
        return counted(trace.ancestors, "ancestor");
      case "descendants":
        return counted(trace.descendants, "descendant");
      case "both":
        return `${counted(trace.ancestors, "ancestor")}, ${counted(trace.descendants, "descendant")}`;
      case "paths":
        if (trace.to < 0) {
          return `${other} is not in this graph`;
        }
        if (node === to) {
          return `Select another node to see the paths between it and ${other}`;
        }
        return trace.connected ? `${counted(trace.between, "node")} between ${here} and ${other}` : `No path between ${here} and ${other}`;
    }
  }

  // src/views/graph/use_canvas.ts
  var import_hooks9 = __toESM(require_hooks(), 1);

  // src/views/graph/canvas.ts
  var import_cytoscape = __toESM(require_cytoscape(), 1);

  // src/views/graph/labels.ts
  var SMALLEST_LABEL = 9;
  var LABEL_SIZE = 11;
  var PADDING3 = 3;
  var LOWEST_NODE = 15;
  function readableLabels(placement, emphasisOf, isDimmed, screen) {
    const { pan, zoom, width, height } = screen;
    const scale = LABEL_SIZE / FONT_SIZE;
    const nodeHeight = NODE_HEIGHT * zoom;
    const below = nodeHeight < LOWEST_NODE ? (nodeHeight + LABEL_SIZE) / 2 + PADDING3 : 0;
    const ofNode = ({ node, label, x, y, labelWidth }) => ({
      text: label,
      x: x * zoom + pan.x,
      y: y * zoom + pan.y + below,
      width: labelWidth * scale,
      isHeading: false,
      node
    });
    const nodes = placement.nodes.filter(({ node }) => !isDimmed(node) || emphasisOf(node) === "selected");
    const rank = ({ node, group }) => emphasisOf(node) === "selected" ? 0 : emphasisOf(node) === "neighbour" ? 1 : group !== null ? 2 : 4;
    const headings = placement.headings.map(({ text: text2, x, y, width: own }) => ({
      rank: 3,
      label: { text: text2, x: x * zoom + pan.x, y: Math.min((y - NODE_HEIGHT / 4) * zoom, y * zoom - LABEL_SIZE / 2) + pan.y, width: own * scale, isHeading: true, node: -1 }
    }));
    const candidates = [...nodes.map((node) => ({ rank: rank(node), label: ofNode(node) })), ...headings].sort((a, b) => a.rank - b.rank);
    const inView2 = candidates.filter(({ label: { x, y } }) => x > 0 && x < width && y > 0 && y < height);
    return withoutOverlap(inView2.map(({ label }) => label));
  }
  function withoutOverlap(labels) {
    const kept = [];
    const overlaps = (a, b) => Math.abs(a.y - b.y) < LABEL_SIZE + PADDING3 && Math.abs(a.x - b.x) < (a.width + b.width) / 2 + PADDING3;
    for (const label of labels) {
      if (!kept.some((other) => overlaps(other, label))) {
        kept.push(label);
      }
    }
    return kept;
  }

  // src/views/graph/decorations.ts
  var FONT = "system-ui, sans-serif";
  var HEADING_TOP = 22;
  var SMALLEST_TEXT = 5;
  var DIMMED = 0.28;
  var SMALLEST_SIGN = 8;
  var HATCH_DISTANCE = 6;
  var STACK_DISTANCE = 3;
  var LINE_WIDTHS = { selected: 3.5, neighbour: 2.5, none: 1.25 };
  function paint(canvas, placement, lookOf, view, palette) {
    const context = canvas.getContext("2d");
    const ratio = window.devicePixelRatio || 1;
    const [width, height] = [Math.round(canvas.clientWidth * ratio), Math.round(canvas.clientHeight * ratio)];
    if (context === null || width === 0 || height === 0) {
      return;
    }
    if (canvas.width !== width || canvas.height !== height) {
      canvas.width = width;
      canvas.height = height;
    }
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, width, height);
    const scale = view.zoom * ratio;
    context.setTransform(scale, 0, 0, scale, view.pan.x * ratio, view.pan.y * ratio);
    const isInView = inView(view, canvas.clientWidth, canvas.clientHeight);
    for (const node of placement.nodes) {
      if (!isInView(node)) {
        continue;
      }
      const look = lookOf(node.node);
      context.globalAlpha = look.dimmed ? DIMMED : 1;
      if (look.hatched) {
        hatch(context, node, palette.line[node.type]);
      }
      paintNode(context, node, look.emphasis, palette, view.zoom);
      if (look.sign !== "") {
        paintSign(context, node, look.sign, palette, view.zoom);
      }
    }
    context.globalAlpha = 1;
    if (FONT_SIZE * view.zoom >= SMALLEST_LABEL) {
      paintHeadings(context, canvas.clientWidth, placement, view, palette);
    } else {
      context.setTransform(ratio, 0, 0, ratio, 0, 0);
      const screen = { ...view, width: canvas.clientWidth, height: canvas.clientHeight };
      paintLabels(context, readableLabels(placement, (node) => lookOf(node).emphasis, (node) => lookOf(node).dimmed, screen), palette);
    }
  }
  function inView({ pan, zoom }, width, height) {
    const margin = NODE_HEIGHT + SMALLEST_SIGN / zoom;
    const [left, right, top, bottom] = [-pan.x / zoom - margin, (width - pan.x) / zoom + margin, -pan.y / zoom - margin, (height - pan.y) / zoom + margin];
    return (node) => node.x + node.width / 2 > left && node.x - node.width / 2 < right && node.y > top && node.y < bottom;
  }
  function paintHeadings(context, width, placement, view, palette) {
    context.font = `${FONT_SIZE - 1}px ${FONT}`;
    context.textAlign = "center";
    context.textBaseline = "bottom";
    const lowest = (HEADING_TOP - view.pan.y) / view.zoom;
    if (placement.headings.some(({ y }) => y < lowest)) {
      const top = -view.pan.y / view.zoom;
      context.fillStyle = palette.background;
      context.fillRect(-view.pan.x / view.zoom, top, width / view.zoom, lowest + 4 - top);
    }
    context.fillStyle = palette.heading;
    for (const { text: text2, x, y } of placement.headings) {
      context.fillText(text2, x, Math.max(y, lowest));
    }
  }
  function paintLabels(context, labels, palette) {
    context.font = `${LABEL_SIZE}px ${FONT}`;
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.lineJoin = "round";
    context.lineWidth = 3;
    context.strokeStyle = palette.background;
    for (const { text: text2, x, y, isHeading } of labels) {
      context.fillStyle = isHeading ? palette.heading : palette.text;
      context.strokeText(text2, x, y);
      context.fillText(text2, x, y);
    }
  }
  function paintNode(context, node, emphasis, palette, zoom) {
    const left = node.x - node.width / 2;
    const top = node.y - NODE_HEIGHT / 2;
    const line = palette.line[node.type];
    if (node.group !== null) {
      paintStack(context, node, line, zoom);
    }
    if (FONT_SIZE * zoom >= SMALLEST_TEXT) {
      context.fillStyle = line;
      context.fillRect(left, top, BADGE_WIDTH, NODE_HEIGHT);
      context.fillStyle = palette.background;
      context.font = `700 ${FONT_SIZE - 2}px ${FONT}`;
      context.textAlign = "center";
      context.textBaseline = "middle";
      context.fillText(node.group === null ? TYPE_LETTERS[node.type] : "+", left + BADGE_WIDTH / 2, node.y + 0.5);
    }
    context.strokeStyle = emphasis === "selected" ? palette.selected : emphasis === "neighbour" ? palette.neighbour : line;
    context.lineWidth = Math.max(LINE_WIDTHS[emphasis], (emphasis === "none" ? 0.5 : 1.5) / zoom);
    const out = emphasis === "none" ? 0 : context.lineWidth / 2;
    const [x0, x1, y0, y1] = [left - out, left + node.width + out, top - out, top + NODE_HEIGHT + out];
    side(context, x0, y0, x1, y0, false);
    side(context, x0, y1, x1, y1, false);
    side(context, x0, y0, x0, y1, node.dottedLeft, palette.background);
    side(context, x1, y0, x1, y1, node.dottedRight, palette.background);
  }
  function paintStack(context, node, color, zoom) {
    const [right, bottom] = [node.x + node.width / 2, node.y + NODE_HEIGHT / 2];
    context.strokeStyle = color;
    context.lineWidth = Math.max(LINE_WIDTHS.none, 0.5 / zoom);
    for (const distance of [STACK_DISTANCE, 2 * STACK_DISTANCE]) {
      context.beginPath();
      context.moveTo(right - node.width + distance, bottom + distance);
      context.lineTo(right + distance, bottom + distance);
      context.lineTo(right + distance, bottom - NODE_HEIGHT + distance);
      context.stroke();
    }
  }
  function hatch(context, node, color) {
    const [left, top] = [node.x - node.width / 2, node.y - NODE_HEIGHT / 2];
    context.save();
    context.globalAlpha *= 0.3;
    context.strokeStyle = color;
    context.lineWidth = 1;
    context.beginPath();
    context.rect(left, top, node.width, NODE_HEIGHT);
    context.clip();
    context.beginPath();
    for (let x = left; x < left + node.width + NODE_HEIGHT; x += HATCH_DISTANCE) {
      context.moveTo(x, top);
      context.lineTo(x - NODE_HEIGHT, top + NODE_HEIGHT);
    }
    context.stroke();
    context.restore();
  }
  function paintSign(context, node, sign, palette, zoom) {
    const size = Math.max(FONT_SIZE - 2, SMALLEST_SIGN / zoom);
    context.font = `700 ${size}px ${FONT}`;
    context.textAlign = "center";
    context.textBaseline = "middle";
    const width = context.measureText(sign).width + size * 0.7;
    const height = size * 1.35;
    const [x, y] = [node.x + node.width / 2 - width / 3, node.y - NODE_HEIGHT / 2];
    context.fillStyle = sign === "0" ? palette.text : palette.bad;
    context.fillRect(x - width / 2, y - height / 2, width, height);
    context.fillStyle = palette.background;
    context.fillText(sign, x, y + size * 0.05);
  }
  function side(context, x0, y0, x1, y1, dotted, gaps) {
    const width = context.lineWidth;
    const stroke = context.strokeStyle;
    const draw = () => {
      context.beginPath();
      context.moveTo(x0, y0);
      context.lineTo(x1, y1);
      context.stroke();
    };
    if (!dotted) {
      context.lineCap = "square";
      draw();
      return;
    }
    context.lineCap = "butt";
    context.lineWidth = Math.max(width, 3);
    context.strokeStyle = gaps ?? stroke;
    draw();
    context.strokeStyle = stroke;
    context.setLineDash([3, 4]);
    draw();
    context.setLineDash([]);
    context.lineWidth = width;
  }

  // src/views/graph/routes.ts
  var CLEARANCE = 5;
  var LEVEL = COLUMN_GAP * 0.35;
  var LANES = 3;
  var LANE_DISTANCE = 3;
  var LONGEST_ROUTE = 40;
  function edgeCurve(from, to, columns, number2) {
    const [x0, y0, x1, y1] = [from.x + from.width / 2, from.y, to.x - to.width / 2, to.y];
    const [dx, dy] = [x1 - x0, y1 - y0];
    const length = Math.hypot(dx, dy) || 1;
    const points = wayPoints(x0, y0, x1, y1, columns, (number2 % LANES - 1) * LANE_DISTANCE);
    return {
      weights: points.map(([x, y]) => ((x - x0) * dx + (y - y0) * dy) / (length * length)),
      distances: points.map(([x, y]) => ((x - x0) * -dy + (y - y0) * dx) / length)
    };
  }
  function wayPoints(x0, y0, x1, y1, columns, lane) {
    if (x1 <= x0) {
      return wayBack(x0, y0, x1, y1, columns);
    }
    const between2 = columns.filter((column2) => column2.left > x0 && column2.right < x1);
    const points = [[x0 + LEVEL, y0]];
    if (between2.length <= LONGEST_ROUTE) {
      let y = y0;
      for (const { left, right, middles } of between2) {
        y = freeHeight(y, y1, middles);
        const own = y === y0 ? y : y + lane;
        points.push([left - LEVEL, own], [left, own], [right, own], [right + LEVEL, own]);
      }
    }
    points.push([x1 - LEVEL, y1]);
    return points;
  }
  function wayBack(x0, y0, x1, y1, columns) {
    const onTheWay = columns.filter((column2) => column2.right > x1 && column2.left < x0);
    const above = onTheWay.reduce((top, { middles }) => Math.min(top, middles[0] ?? top), Math.min(y0, y1)) - NODE_HEIGHT;
    return [[x0 + LEVEL, y0], [x0 + LEVEL, above], [x1 - LEVEL, above], [x1 - LEVEL, y1]];
  }
  function freeHeight(y, goal, middles) {
    const reach = NODE_HEIGHT / 2 + CLEARANCE;
    const isFree = (height) => middles.every((middle2) => Math.abs(height - middle2) >= reach);
    if (isFree(y)) {
      return y;
    }
    const candidates = middles.flatMap((middle2, k) => {
      const [before, after] = [middles[k - 1], middles[k + 1]];
      return [before === void 0 ? middle2 - reach : (before + middle2) / 2, after === void 0 ? middle2 + reach : (middle2 + after) / 2];
    });
    const detour = (height) => Math.abs(height - y) + Math.abs(height - goal) / 2;
    return candidates.reduce((best, height) => detour(height) < detour(best) ? height : best);
  }

  // src/views/graph/style.ts
  function styleSheet(palette) {
    const types = Object.keys(palette.fill);
    return [
      { selector: "node", style: nodeStyle(palette) },
      { selector: "node.unrecorded", style: { "background-opacity": 0.35 } },
      { selector: "edge", style: EDGE_STYLE },
      { selector: "edge.thin", style: { width: 1, "arrow-scale": 0.7 } },
      { selector: "edge.without-gradient", style: { "line-style": "dashed", "line-dash-pattern": [7, 6] } },
      { selector: "edge.traced", style: { width: 1.5, "arrow-scale": 0.7 } },
      ...types.flatMap((type) => [
        { selector: `node[type = "${type}"]`, style: { "background-color": palette.fill[type] } },
        { selector: `edge[type = "${type}"]`, style: { "line-color": palette.line[type], "target-arrow-color": palette.line[type] } }
      ]),
      { selector: "node.blank", style: { "background-color": palette.background } },
      { selector: "node.colored", style: { "background-color": "data(fill)", color: "data(ink)", "background-opacity": 1 } },
      { selector: "node.dimmed", style: { opacity: DIMMED } }
    ];
  }
  function nodeStyle(palette) {
    return {
      shape: "rectangle",
      width: "data(width)",
      height: NODE_HEIGHT,
      label: "data(label)",
      "font-size": FONT_SIZE,
      "font-family": "system-ui, sans-serif",
      color: palette.text,
      "text-halign": "center",
      "text-valign": "center",
      "text-margin-x": BADGE_WIDTH / 2,
      "min-zoomed-font-size": SMALLEST_LABEL,
      "overlay-opacity": 0
    };
  }
  var EDGE_STYLE = {
    width: 3,
    "curve-style": "unbundled-bezier",
    "edge-distances": "endpoints",
    "control-point-distances": "data(distances)",
    "control-point-weights": "data(weights)",
    "source-endpoint": "50% 0%",
    "target-endpoint": "-50% 0%",
    "target-arrow-shape": "triangle",
    "arrow-scale": 0.9,
    "overlay-opacity": 0,
    events: "no"
  };

  // src/views/graph/canvas.ts
  var FIT_PADDING = 28;
  var LARGEST_FIT = 1.2;
  var SMALLEST_FIT = 0.6;
  var READABLE = 0.85;
  var EDGE_MARGIN = 24;
  var STYLE_ID = "__________cytoscape_stylesheet";
  var GraphCanvas = class {
    constructor(container, callbacks, palette) {
      this.palette = palette;
      if (document.getElementById(STYLE_ID) === null) {
        const marker = document.createElement("meta");
        marker.id = STYLE_ID;
        document.head.append(marker);
      }
      this.cy = (0, import_cytoscape.default)({
        container,
        layout: { name: "preset" },
        minZoom: 0.05,
        maxZoom: 4,
        autoungrabify: true,
        autounselectify: true,
        boxSelectionEnabled: false,
        style: styleSheet(palette)
      });
      this.overlay = document.createElement("canvas");
      this.overlay.className = "graph-overlay";
      container.append(this.overlay);
      this.listen(callbacks);
      this.resizing = new ResizeObserver(() => this.fitUnlessMoved());
      this.resizing.observe(container);
    }
    palette;
    cy;
    overlay;
    resizing;
    placement = { nodes: [], headings: [], columns: [] };
    byNode = /* @__PURE__ */ new Map();
    emphasis = /* @__PURE__ */ new Map();
    selected = -1;
    colors = null;
    trace = null;
    /** Whether the person has moved the view; until then it follows the graph and the size of the window. */
    moved = false;
    destroy() {
      this.resizing.disconnect();
      this.cy.destroy();
      this.overlay.remove();
    }
    setPalette(palette) {
      this.palette = palette;
      this.cy.style(styleSheet(palette));
      this.paint();
    }
    /** Replaces the graph, keeping the zoom if the person has chosen one. */
    setPlacement(placement, selected) {
      const anchor = this.byNode.get(this.selected);
      const screen = anchor && this.toScreen(anchor);
      this.placement = placement;
      this.byNode = new Map(placement.nodes.map((node) => [node.node, node]));
      this.selected = selected;
      this.emphasis = /* @__PURE__ */ new Map();
      this.cy.batch(() => {
        this.cy.elements().remove();
        this.cy.add(placement.nodes.map((node) => nodeElement(node)));
      });
      const now = this.byNode.get(selected);
      if (!this.moved) {
        this.fitUnlessMoved();
      } else if (screen !== void 0 && now !== void 0) {
        const zoom = this.cy.zoom();
        this.cy.pan({ x: screen.x - now.x * zoom, y: screen.y - now.y * zoom });
      }
    }
    /** Marks the selected node and its neighbours, and draws their connections. */
    setSelection(selected, neighbours) {
      this.selected = selected;
      this.emphasis = new Map([...neighbours.dependencies, ...neighbours.dependents].map(({ node }) => [node, "neighbour"]));
      this.emphasis.set(selected, "selected");
      const edges = [
        ...neighbours.dependencies.map((neighbour2, k) => this.edge(neighbour2.node, selected, neighbour2, k)),
        ...neighbours.dependents.map((neighbour2, k) => this.edge(selected, neighbour2.node, neighbour2, k))
      ];
      this.cy.batch(() => {
        this.cy.edges().remove();
        this.cy.add(edges.filter((edge) => edge !== null));
      });
      this.reveal();
      this.paint();
    }
    /** Draws the connections of a trace, and dims the nodes that are not on it; null shows all nodes alike. */
    setTrace(trace, edges) {
      this.trace = trace;
      this.cy.batch(() => {
        this.cy.edges(".traced").remove();
        const own = new Set(this.cy.edges().map((edge) => edge.id()));
        const added = edges.map(({ from, to, carriesGradient }, k) => this.edge(from, to, { node: from, own: true, carriesGradient }, k, ["traced"]));
        this.cy.add(added.filter((edge) => edge !== null && !own.has(edge.data.id ?? "")));
        for (const { node, id } of this.placement.nodes) {
          this.cy.getElementById(id).toggleClass("dimmed", this.isDimmed(node));
        }
      });
      this.paint();
    }
    /** Colours nodes by their numbers, or by their types where `colors` is null. */
    setColors(colors) {
      this.colors = colors;
      this.cy.batch(() => {
        for (const { node, id } of this.placement.nodes) {
          const color = colors?.[node];
          const element = this.cy.getElementById(id);
          element.toggleClass("blank", colors !== null && (color?.fill ?? null) === null);
          element.toggleClass("colored", (color?.fill ?? null) !== null);
          element.data({ fill: color?.fill ?? "", ink: color?.ink ?? "" });
        }
      });
      this.paint();
    }
    /** Shows nodes without numbers of the chosen recording type paler. */
    setRecorded(isRecorded) {
      this.cy.batch(() => {
        for (const { node, id } of this.placement.nodes) {
          this.cy.getElementById(id).toggleClass("unrecorded", !isRecorded(node));
        }
      });
    }
    /** Zooms towards the selected node, or the middle where that is not in view. */
    zoomBy(factor) {
      this.moved = true;
      const selected = this.byNode.get(this.selected);
      const middle2 = { x: this.cy.width() / 2, y: this.cy.height() / 2 };
      const target = selected === void 0 ? middle2 : this.toScreen(selected);
      const isInView = target.x >= 0 && target.x <= this.cy.width() && target.y >= 0 && target.y <= this.cy.height();
      this.cy.zoom({ level: this.cy.zoom() * factor, renderedPosition: isInView ? target : middle2 });
    }
    /** The whole graph. */
    fit() {
      this.moved = true;
      const { nodes, columns } = this.placement;
      const [left, right] = [columns[0]?.left ?? 0, columns[columns.length - 1]?.right ?? 0];
      const bottom = nodes.reduce((lowest, { y }) => Math.max(lowest, y), 0) + NODE_HEIGHT / 2;
      const room = { x: this.cy.width() - 2 * FIT_PADDING, y: this.cy.height() - 2 * FIT_PADDING };
      const zoom = Math.min(LARGEST_FIT, room.x / Math.max(1, right - left), room.y / (2 * bottom));
      this.cy.zoom(Math.max(this.cy.minZoom(), zoom));
      this.centerAt((left + right) / 2, 0);
    }
    panBy(x, y) {
      this.moved = true;
      this.cy.panBy({ x, y });
    }
    /** Moves the view to a place in the graph. */
    centerAt(x, y) {
      this.moved = true;
      const zoom = this.cy.zoom();
      this.cy.pan({ x: this.cy.width() / 2 - x * zoom, y: this.cy.height() / 2 - y * zoom });
    }
    /** Moves the view to a node or group, if it is drawn. */
    centerOn(node) {
      const placed = this.byNode.get(node);
      if (placed !== void 0) {
        this.centerAt(placed.x, placed.y);
      }
    }
    /** Null where the view has no size. */
    visiblePart() {
      const [pan, zoom, width, height] = [this.cy.pan(), this.cy.zoom(), this.cy.width(), this.cy.height()];
      if (width === 0 || height === 0) {
        return null;
      }
      const [left, right, top, bottom] = [-pan.x / zoom, (width - pan.x) / zoom, -pan.y / zoom, (height - pan.y) / zoom];
      const isInView = ({ x, y, width: own }) => x - own / 2 >= left && x + own / 2 <= right && y - NODE_HEIGHT / 2 >= top && y + NODE_HEIGHT / 2 <= bottom;
      return { left, right, top, bottom, hasAll: this.placement.nodes.every(isInView) };
    }
    /** Calls a listener whenever something else may be in view; returns what ends that. */
    onView(listener) {
      this.cy.on("render", listener);
      return () => this.cy.off("render", listener);
    }
    isDimmed(node) {
      return this.trace !== null && this.trace.sides[node] === 0;
    }
    listen(callbacks) {
      this.cy.on("render", () => this.paint());
      this.cy.on("scrollzoom pinchzoom dragpan", () => this.moved = true);
      this.cy.on("tap", "node", (event) => {
        const placed = this.byNode.get(event.target.data("node"));
        if (placed !== void 0 && placed.group !== null && event.position.x < placed.x - placed.width / 2 + BADGE_WIDTH) {
          callbacks.onExpand(placed.node);
        } else if (placed !== void 0) {
          callbacks.onSelect(placed.node);
        }
      });
      this.cy.on("dbltap", "node", (event) => {
        const placed = this.byNode.get(event.target.data("node"));
        if (placed !== void 0 && placed.group !== null) {
          callbacks.onExpand(placed.node);
        }
      });
      this.cy.on("mouseover", "node", (event) => {
        const placed = this.byNode.get(event.target.data("node"));
        if (placed !== void 0) {
          const { x, y } = this.toScreen(placed);
          callbacks.onHover({ node: placed.node, x, y: y + NODE_HEIGHT / 2 * this.cy.zoom() });
        }
      });
      this.cy.on("mouseout", "node", () => callbacks.onHover(null));
      this.cy.on("viewport", () => callbacks.onHover(null));
    }
    fitUnlessMoved() {
      this.cy.resize();
      if (this.moved || this.cy.width() === 0 || this.placement.nodes.length === 0) {
        this.paint();
        return;
      }
      this.fit();
      this.moved = false;
      const selected = this.byNode.get(this.selected);
      if (this.cy.zoom() < SMALLEST_FIT && selected !== void 0) {
        this.cy.zoom(READABLE);
        this.cy.center(this.cy.getElementById(selected.id));
        this.alignSideways(selected);
      }
      this.paint();
    }
    /** Shows no empty space beside the graph where there is more of it, and centres it where it is narrower than the view. */
    alignSideways(selected) {
      const zoom = this.cy.zoom();
      const { columns } = this.placement;
      const [first, last] = [columns[0]?.left ?? 0, columns[columns.length - 1]?.right ?? 0];
      const left = this.cy.width() / 2 - (selected.x - first) * zoom;
      const right = left + (last - first) * zoom;
      const room = this.cy.width() - FIT_PADDING;
      if (right - left < room - FIT_PADDING) {
        this.cy.panBy({ x: (this.cy.width() - left - right) / 2, y: 0 });
      } else {
        this.cy.panBy({ x: Math.min(0, FIT_PADDING - left) + Math.max(0, room - right), y: 0 });
      }
    }
    /** Moves the view as little as needed for the selected node to be in it. */
    reveal() {
      const placed = this.byNode.get(this.selected);
      if (placed === void 0 || this.cy.width() === 0) {
        return;
      }
      const { x, y } = this.toScreen(placed);
      const zoom = this.cy.zoom();
      const reachX = Math.min(placed.width / 2 * zoom + EDGE_MARGIN, this.cy.width() / 2);
      const reachY = Math.min(NODE_HEIGHT / 2 * zoom + EDGE_MARGIN, this.cy.height() / 2);
      const within = (value, reach, size) => Math.max(reach, Math.min(size - reach, value));
      const by = { x: within(x, reachX, this.cy.width()) - x, y: within(y, reachY, this.cy.height()) - y };
      if (by.x !== 0 || by.y !== 0) {
        this.cy.panBy(by);
      }
    }
    toScreen(node) {
      const [pan, zoom] = [this.cy.pan(), this.cy.zoom()];
      return { x: node.x * zoom + pan.x, y: node.y * zoom + pan.y };
    }
    /** An edge to or from a neighbour; `number` tells edges apart that have the same way. */
    edge(from, to, neighbour2, number2, kinds = []) {
      const [source, target] = [this.byNode.get(from), this.byNode.get(to)];
      if (source === void 0 || target === void 0) {
        return null;
      }
      const { distances, weights } = edgeCurve(source, target, this.placement.columns, number2);
      const type = this.byNode.get(neighbour2.node)?.type;
      const classes = [...kinds, ...neighbour2.own ? [] : ["thin"], ...neighbour2.carriesGradient ? [] : ["without-gradient"]];
      return { group: "edges", data: { id: `e${from}-${to}`, source: source.id, target: target.id, type, distances, weights }, classes };
    }
    paint() {
      const lookOf = (node) => ({
        emphasis: this.emphasis.get(node) ?? "none",
        dimmed: this.isDimmed(node),
        hatched: this.colors !== null && this.colors[node] === void 0,
        sign: this.colors?.[node]?.sign ?? ""
      });
      paint(this.overlay, this.placement, lookOf, { pan: this.cy.pan(), zoom: this.cy.zoom() }, this.palette);
    }
  };
  function nodeElement(node) {
    return {
      group: "nodes",
      data: { id: node.id, node: node.node, label: node.label, type: node.type, width: node.width },
      position: { x: node.x, y: node.y }
    };
  }

  // src/views/graph/use_canvas.ts
  var MOST_TRACED_EDGES = 400;
  function useCanvas(drawing) {
    const { graph, layout, selected, neighbours, recorded, trace, colors } = drawing;
    const { items } = layout;
    const container = (0, import_hooks9.useRef)(null);
    const latest = (0, import_hooks9.useRef)(drawing);
    latest.current = drawing;
    const [canvas, setCanvas] = (0, import_hooks9.useState)(null);
    const [hover, setHover] = (0, import_hooks9.useState)(null);
    const { window: window2, placement, lookedAt, lookAt } = useWindow(graph, layout, selected);
    const dark = isDark.value;
    const palette = (0, import_hooks9.useMemo)(readPalette, [dark]);
    (0, import_hooks9.useLayoutEffect)(() => {
      if (container.current === null) {
        return void 0;
      }
      const callbacks = {
        onSelect: (item2) => latest.current.onSelect(item2),
        onExpand: (group) => latest.current.onExpand(group),
        onHover: setHover
      };
      const created = new GraphCanvas(container.current, callbacks, palette);
      setCanvas(created);
      return () => created.destroy();
    }, []);
    (0, import_hooks9.useLayoutEffect)(() => canvas?.setPlacement(placement, selected), [canvas, placement]);
    (0, import_hooks9.useLayoutEffect)(() => canvas?.setSelection(selected, neighbours), [canvas, placement, selected, neighbours]);
    (0, import_hooks9.useLayoutEffect)(() => {
      const edges = trace === null ? [] : tracedEdges(graph, trace, items, (item2) => window2.shown.has(item2), MOST_TRACED_EDGES);
      canvas?.setTrace(trace && withGroups(trace, items), edges);
    }, [canvas, placement, selected, neighbours, trace]);
    (0, import_hooks9.useLayoutEffect)(() => canvas?.setColors(colors), [canvas, placement, colors]);
    (0, import_hooks9.useLayoutEffect)(() => {
      const isRecorded = (node) => recorded.has(graph.nodes.name[node] ?? "");
      canvas?.setRecorded((item2) => (items.groups.get(item2)?.members ?? [item2]).some(isRecorded));
    }, [canvas, placement, recorded]);
    (0, import_hooks9.useLayoutEffect)(() => canvas?.setPalette(palette), [canvas, palette]);
    (0, import_hooks9.useLayoutEffect)(() => {
      if (lookedAt !== null) {
        canvas?.centerOn(lookedAt.item);
      }
    }, [canvas, lookedAt]);
    return { container, canvas, palette, window: window2, placement, hover, lookAt };
  }
  function useWindow(graph, layout, selected) {
    const [wanted, setWanted] = (0, import_hooks9.useState)(null);
    const last = (0, import_hooks9.useRef)(null);
    const { key, columns } = layout;
    const lookedAt = wanted?.key === key && wanted.selected === selected ? wanted : null;
    const before = last.current?.key === key ? last.current : null;
    const window2 = windowAround(columns, lookedAt?.item ?? selected, before?.window ?? null, MOST_NODES);
    if (before?.window !== window2) {
      last.current = { key, window: window2, placement: placeGraph(graph, layout, window2, measureText) };
    }
    return { window: window2, placement: last.current.placement, lookedAt, lookAt: (item2) => setWanted({ item: item2, key, selected }) };
  }
  function readPalette() {
    const byType = (part) => Object.fromEntries(TENSOR_TYPES.map((type) => [type, themeColor(`${type}-${part}`)]));
    return {
      fill: byType("fill"),
      line: byType("line"),
      text: themeColor("text"),
      heading: themeColor("text-soft"),
      selected: themeColor("selected"),
      neighbour: themeColor("neighbour"),
      background: themeColor("surface"),
      bad: themeColor("bad"),
      neutral: themeColor("control-line")
    };
  }
  var measuring = null;
  function measureText(text2) {
    measuring ??= document.createElement("canvas").getContext("2d");
    if (measuring === null) {
      return text2.length * FONT_SIZE * 0.6;
    }
    measuring.font = `${FONT_SIZE}px system-ui, sans-serif`;
    return measuring.measureText(text2).width;
  }

  // src/views/graph/use_coloring.ts
  var import_hooks10 = __toESM(require_hooks(), 1);
  function useColoring(store, shown, open, graph) {
    const { iteration, recording, aggregation, node, role } = shown.selection;
    const text2 = store.view.value.get("color");
    const version = store.version.value;
    const read = (0, import_hooks10.useMemo)(() => {
      const choice = readColorChoice(text2);
      const isOffered = choice !== null && statisticsOf(open, iteration, recording).includes(choice.statistic);
      return isOffered ? { choice, ...readStatistic(open, iteration, recording, aggregation, choice.statistic) } : null;
    }, [open, iteration, recording, aggregation, text2, version]);
    const { chunks } = store.bundle;
    (0, import_hooks10.useEffect)(() => {
      if (read !== null && !read.isComplete) {
        chunks.request(read.chunks);
      }
    }, [read]);
    const strongest = (0, import_hooks10.useMemo)(() => read === null ? [] : numberPerNode(graph, read.numbers), [graph, read]);
    const selected = graph.nodes.name.indexOf(node);
    const numbers = (0, import_hooks10.useMemo)(() => withSelected(strongest, read?.numbers ?? [], selected, { node, role }), [strongest, node, role]);
    return (0, import_hooks10.useMemo)(() => {
      if (read === null) {
        return null;
      }
      const hasFailed = read.chunks.some((chunk) => chunks.failure(chunk) !== void 0);
      const state = read.isComplete ? "ready" : hasFailed ? "failed" : "loading";
      return { statistic: read.choice.statistic, numbers, coloring: colorNodes(numbers, read.choice.scale), state };
    }, [read, numbers]);
  }

  // src/views/graph/graph_view.tsx
  var import_jsx_runtime17 = __toESM(require_jsx_runtime(), 1);
  function GraphView({ store }) {
    const shown = store.shown.value;
    const pending = store.pending.value;
    const graph = shown?.open?.graphs[shown.selection.iteration];
    if (pending?.error || shown === null || shown.open === null || graph === void 0 || graph.nodes.name.length === 0) {
      const isEmpty = pending === null && shown !== null && shown.open !== null;
      const reason = pending?.error ? "The graph of this step could not be loaded." : isEmpty ? "There is no tensor in this iteration." : "";
      return /* @__PURE__ */ (0, import_jsx_runtime17.jsx)("section", { class: "graph empty", "aria-label": "Dependency graph", "data-testid": "graph-empty", children: reason });
    }
    return /* @__PURE__ */ (0, import_jsx_runtime17.jsx)(GraphOf, { store, shown, open: shown.open, graph });
  }
  function GraphOf({ store, shown, open, graph }) {
    const { node, role, iteration, recording } = shown.selection;
    const view = store.view.value;
    const selected = graph.nodes.name.indexOf(node);
    const filter = (0, import_hooks11.useMemo)(() => readFilter(view.get("hide"), view.get("only")), [view.get("hide"), view.get("only")]);
    const layout = (0, import_hooks11.useMemo)(() => layoutOf(graph, readFolding(view.get("fold")), filter), [graph, view.get("fold"), filter]);
    const item2 = layout.items.ofNode[selected] ?? -1;
    const neighbours = (0, import_hooks11.useMemo)(() => neighboursOf2(graph, selected, role), [graph, selected, role]);
    const drawnNeighbours = (0, import_hooks11.useMemo)(() => neighboursOf2(graph, selected, role, layout.items), [graph, selected, role, layout]);
    const recorded = (0, import_hooks11.useMemo)(
      () => new Set(open.offers.of(iteration).filter((offer) => offer.recordings.includes(recording)).map((offer) => offer.node)),
      [open, iteration, recording]
    );
    const select = (chosen) => {
      if (chosen !== item2) {
        store.selectNode(graph.nodes.name[firstNode(layout.items, chosen)] ?? "");
      }
    };
    const expand = (group) => store.setView("fold", writeFolding(expanded(graph, layout.folding, group)));
    const go = (direction) => select(walk(layout.columns, item2, direction));
    const kind = readTrace(view.get("trace"));
    const to = view.get("to") ?? "";
    const trace = (0, import_hooks11.useMemo)(() => kind === null ? null : traceOf(graph, selected, kind, graph.nodes.name.indexOf(to)), [graph, selected, kind, to]);
    const colored = useColoring(store, shown, open, graph);
    const colors = (0, import_hooks11.useMemo)(() => colored && itemColors(colored.coloring, colored.numbers, layout.items), [colored, layout]);
    const drawn = useCanvas({ graph, layout, selected: item2, neighbours: drawnNeighbours, recorded, trace, colors, onSelect: select, onExpand: expand });
    const { container, canvas, window: window2, hover } = drawn;
    useArrowKeys(store, canvas, go);
    const total = graph.nodes.name.length;
    return /* @__PURE__ */ (0, import_jsx_runtime17.jsxs)("section", { class: "graph", "aria-label": "Dependency graph", children: [
      /* @__PURE__ */ (0, import_jsx_runtime17.jsxs)("div", { class: "graph-bar", children: [
        /* @__PURE__ */ (0, import_jsx_runtime17.jsx)(GraphToolbar, { store, graph, layout, selected, canvas, go }),
        /* @__PURE__ */ (0, import_jsx_runtime17.jsx)(Legend, { store, graph, filter })
      ] }),
      /* @__PURE__ */ (0, import_jsx_runtime17.jsxs)("div", { class: "graph-bar graph-options", children: [
        /* @__PURE__ */ (0, import_jsx_runtime17.jsx)(ColorBar, { store, open, iteration, recording, colored }),
        /* @__PURE__ */ (0, import_jsx_runtime17.jsx)(TraceBar, { store, node, trace, to }),
        /* @__PURE__ */ (0, import_jsx_runtime17.jsx)(PrefixField, { store, graph, filter })
      ] }),
      /* @__PURE__ */ (0, import_jsx_runtime17.jsxs)("div", { class: "graph-frame", children: [
        /* @__PURE__ */ (0, import_jsx_runtime17.jsx)(
          "div",
          {
            ref: container,
            class: "graph-canvas",
            "data-testid": "graph",
            "data-selected-node": node,
            "data-node-count": total,
            "data-shown-node-count": window2.shown.size,
            "data-group-count": layout.items.groups.size,
            "data-edge-count": drawnNeighbours.dependencies.length + drawnNeighbours.dependents.length,
            role: "img",
            "aria-label": `${counted(total, "node")} in ${counted(layout.columns.length, "column")}. Arrow keys select another one.`
          }
        ),
        hover !== null && /* @__PURE__ */ (0, import_jsx_runtime17.jsx)(NodeTooltip, { graph, layout, hover, colored }),
        /* @__PURE__ */ (0, import_jsx_runtime17.jsxs)("div", { class: "graph-corners", children: [
          /* @__PURE__ */ (0, import_jsx_runtime17.jsx)(GraphNotes, { open, iteration, graph, layout, filter, window: window2, isDrawn: item2 >= 0 }),
          /* @__PURE__ */ (0, import_jsx_runtime17.jsx)(Overview, { graph, layout, drawn, colors })
        ] })
      ] }),
      /* @__PURE__ */ (0, import_jsx_runtime17.jsx)(Announcement, { graph, layout, selected, neighbours })
    ] });
  }
  function Announcement({ graph, layout: { items }, selected, neighbours }) {
    const name = graph.nodes.name[selected];
    const group = items.groups.get(items.ofNode[selected] ?? -1);
    const { dependencies, dependents } = neighbours;
    return /* @__PURE__ */ (0, import_jsx_runtime17.jsx)("p", { class: "visually-hidden", role: "status", "aria-live": "polite", children: name !== void 0 && `${nodeLabel(name)}, ${graph.nodes.type[selected]}${group === void 0 ? "" : `, in the collapsed group ${group.prefix}`}; depends on ${inWords(dependencies)}, needed by ${inWords(dependents)}` });
  }
  function inWords(neighbours) {
    const without = neighbours.filter((neighbour2) => !neighbour2.carriesGradient).length;
    return without === 0 ? `${neighbours.length}` : `${neighbours.length} (${without} without gradient)`;
  }
  function GraphNotes({ open, iteration, graph, layout: { items }, filter, window: window2, isDrawn }) {
    const hidden = (0, import_hooks11.useMemo)(() => hiddenInWords(graph, filter), [graph, filter]);
    const notes = [];
    if (open.graphError !== null) {
      notes.push(`The dependencies could not be loaded; the tensors are listed by type. ${open.graphError.message}`);
    } else if (open.hasGraph[iteration] === false) {
      notes.push("The dependencies of this iteration were not recorded; its tensors are listed by type.");
    }
    if (items.groups.size > 0) {
      const others = items.numbers.length - items.groups.size;
      const inGroups = [...items.groups.values()].reduce((sum, { members }) => sum + members.length, 0);
      notes.push(`${counted(inGroups + others, "node")} in ${counted(items.groups.size, "group")}${others > 0 ? ` and ${counted(others, "single node")}` : ""}.`);
    }
    if (!window2.complete) {
      notes.push(`${grouped(window2.shown.size)} of ${grouped(items.numbers.length)} ${items.groups.size > 0 ? "of these" : "nodes"} shown around the selection.`);
    }
    if (hidden !== "") {
      notes.push(`${hidden}${isDrawn ? "" : ", the selected one among them"}.`);
    }
    return notes.length === 0 ? null : /* @__PURE__ */ (0, import_jsx_runtime17.jsx)("p", { class: "graph-note", "data-testid": "graph-note", children: notes.join(" ") });
  }

  // src/views/keyboard.tsx
  var import_hooks12 = __toESM(require_hooks(), 1);
  var import_jsx_runtime18 = __toESM(require_jsx_runtime(), 1);
  var TAKES_CHARACTERS = "input:not([type=range]):not([type=checkbox]):not([type=radio]), select, textarea, [contenteditable], dialog";
  var OTHER_KEYS = [
    { key: "\u2190 \u2191 \u2192 \u2193", name: "Walk over the graph" },
    { key: "Shift \u2190 \u2191 \u2192 \u2193", name: "Move the view of the graph" },
    { key: "Alt \u2190", name: "Undo the last change (the browser\u2019s back button)" }
  ];
  function startKeyboard() {
    document.addEventListener("keydown", (event) => {
      const isTyping = event.target instanceof Element && event.target.closest(TAKES_CHARACTERS) !== null;
      if (isTyping || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) {
        return;
      }
      const control = visibleControls().find((element) => element.getAttribute("aria-keyshortcuts") === event.key);
      if (control === void 0) {
        return;
      }
      event.preventDefault();
      if (control instanceof HTMLInputElement) {
        control.focus();
        control.select();
      } else {
        control.click();
      }
    });
  }
  function visibleControls() {
    return [...document.querySelectorAll("[aria-keyshortcuts]")].filter((element) => element.offsetParent !== null);
  }
  function entries() {
    const own = new Map(visibleControls().map((element) => [element.getAttribute("aria-keyshortcuts") ?? "", nameOf(element)]));
    return [...OTHER_KEYS, ...[...own].flatMap(([key, name]) => entryOf(key, name, own))];
  }
  function entryOf(key, name, own) {
    const [direction, subject] = name.split(": ", 2);
    if (direction === "Previous" && own.has(key.toLowerCase())) {
      return [];
    }
    return direction === "Next" && subject !== void 0 ? [{ key: `${key}  ${key.toUpperCase()}`, name: `${subject}: next, previous` }] : [{ key, name }];
  }
  function nameOf(element) {
    return element.getAttribute("aria-label") ?? element.textContent?.trim() ?? "";
  }
  function KeyHelp() {
    const dialog = (0, import_hooks12.useRef)(null);
    const [listed, setListed] = (0, import_hooks12.useState)(null);
    (0, import_hooks12.useEffect)(() => {
      if (listed !== null && dialog.current?.open === false) {
        dialog.current.showModal();
      }
    }, [listed]);
    return /* @__PURE__ */ (0, import_jsx_runtime18.jsxs)(import_jsx_runtime18.Fragment, { children: [
      /* @__PURE__ */ (0, import_jsx_runtime18.jsx)("button", { type: "button", class: "header-button", "data-testid": "keys", "aria-label": "Keys", title: "Keys (?)", "aria-keyshortcuts": "?", onClick: () => setListed(entries()), children: /* @__PURE__ */ (0, import_jsx_runtime18.jsx)("span", { "aria-hidden": "true", children: "?" }) }),
      /* @__PURE__ */ (0, import_jsx_runtime18.jsxs)("dialog", { ref: dialog, class: "keys", "data-testid": "key-list", "aria-label": "Keys", onClose: () => setListed(null), children: [
        /* @__PURE__ */ (0, import_jsx_runtime18.jsxs)("div", { class: "page-bar", children: [
          /* @__PURE__ */ (0, import_jsx_runtime18.jsx)("h2", { children: "Keys" }),
          /* @__PURE__ */ (0, import_jsx_runtime18.jsx)("button", { type: "button", "data-testid": "close-keys", onClick: () => dialog.current?.close(), children: "Close" })
        ] }),
        /* @__PURE__ */ (0, import_jsx_runtime18.jsx)("dl", { children: listed?.map(({ key, name }) => /* @__PURE__ */ (0, import_jsx_runtime18.jsxs)("div", { children: [
          /* @__PURE__ */ (0, import_jsx_runtime18.jsx)("dt", { children: /* @__PURE__ */ (0, import_jsx_runtime18.jsx)("kbd", { children: key }) }),
          /* @__PURE__ */ (0, import_jsx_runtime18.jsx)("dd", { children: name })
        ] }, `${key}/${name}`)) })
      ] })
    ] });
  }

  // src/views/messages.tsx
  var import_jsx_runtime19 = __toESM(require_jsx_runtime(), 1);
  function Messages({ store }) {
    return /* @__PURE__ */ (0, import_jsx_runtime19.jsx)("div", { class: "messages", role: "status", "aria-live": "polite", children: store.messages.value.map((message) => /* @__PURE__ */ (0, import_jsx_runtime19.jsxs)("p", { class: "message", "data-testid": "message", children: [
      /* @__PURE__ */ (0, import_jsx_runtime19.jsx)("span", { children: message }),
      /* @__PURE__ */ (0, import_jsx_runtime19.jsx)("button", { type: "button", "aria-label": "Dismiss", onClick: () => store.dismiss(message), children: "\xD7" })
    ] }, message)) });
  }

  // src/views/network.tsx
  var import_hooks13 = __toESM(require_hooks(), 1);

  // src/views/module_tree.ts
  function moduleTree(network) {
    const nodes = network.modules.map((module, id) => {
      const parent = network.modules[module.parent];
      const label = parent !== void 0 && module.name.startsWith(`${parent.name}.`) ? module.name.slice(parent.name.length + 1) : module.name;
      return { id, name: module.name, label, type: module.type, children: [], parameters: [], values: 0, trainable: 0 };
    });
    for (const parameter of network.parameters) {
      const node = nodes[parameter.module];
      node?.parameters.push(parameter);
      if (node !== void 0 && parameter.alias_of === null) {
        const size = valuesOf(parameter);
        node.values += size;
        node.trainable += parameter.requires_grad ? size : 0;
      }
    }
    const roots = [];
    for (const [id, node] of [...nodes.entries()].reverse()) {
      const parent = nodes[network.modules[id]?.parent ?? -1];
      (parent?.children ?? roots).unshift(node);
      if (parent !== void 0) {
        parent.values += node.values;
        parent.trainable += node.trainable;
      }
    }
    return roots;
  }
  function valuesOf(parameter) {
    return parameter.shape.reduce((product, size) => product * size, 1);
  }

  // src/views/network.tsx
  var import_jsx_runtime20 = __toESM(require_jsx_runtime(), 1);
  var OPEN_ROWS = 60;
  function NetworkView({ store }) {
    return /* @__PURE__ */ (0, import_jsx_runtime20.jsx)(DocumentView, { store, read: (bundle, trial) => bundle.network(trial), what: "the network", children: (network, trial) => /* @__PURE__ */ (0, import_jsx_runtime20.jsx)(Tree, { network, runs: runsOf(store, trial) }, keyOf(trial)) });
  }
  function runsOf(store, trial) {
    const shown = store.shown.value;
    if (shown?.open?.trial !== trial) {
      return null;
    }
    const facts = store.bundle.facts(trial, shown.step);
    const runs = facts.state === "ready" && facts.value !== null ? store.bundle.moduleRuns(facts.value.module_runs) : null;
    if (runs?.state !== "ready" || runs.value === null) {
      return null;
    }
    const { module, training, calls } = runs.value;
    const byModule = new Map(module.map((position, k) => [position, `${training[k] ? "train" : "eval"}${calls[k] === 1 ? "" : ` \xD7${grouped(calls[k])}`}`]));
    return { step: shown.selection.step, type: store.bundle.typeOf(trial, shown.step), byModule };
  }
  function Tree({ network, runs }) {
    const roots = (0, import_hooks13.useMemo)(() => moduleTree(network), [network]);
    const [open, setOpen] = (0, import_hooks13.useState)(() => openAtFirst(roots));
    if (roots.length === 0) {
      return /* @__PURE__ */ (0, import_jsx_runtime20.jsx)("p", { class: "empty", "data-testid": "network-empty", children: "No module was tracked in this trial." });
    }
    const toggle = (id) => {
      const next = new Set(open);
      if (!next.delete(id)) {
        next.add(id);
      }
      setOpen(next);
    };
    const total = roots.reduce((sum, root) => sum + root.values, 0);
    const trainable = roots.reduce((sum, root) => sum + root.trainable, 0);
    return /* @__PURE__ */ (0, import_jsx_runtime20.jsxs)("section", { class: "page", "aria-label": "Network", children: [
      /* @__PURE__ */ (0, import_jsx_runtime20.jsxs)("div", { class: "page-bar", children: [
        /* @__PURE__ */ (0, import_jsx_runtime20.jsxs)("p", { "data-testid": "network-total", children: [
          /* @__PURE__ */ (0, import_jsx_runtime20.jsx)("strong", { children: grouped(total) }),
          " parameter values in ",
          counted(network.parameters.length, "parameter"),
          " of ",
          counted(network.modules.length, "module"),
          trainable !== total && `, ${grouped(trainable)} of them trainable`
        ] }),
        runs !== null && /* @__PURE__ */ (0, import_jsx_runtime20.jsxs)("p", { class: "soft", "data-testid": "network-step", children: [
          grouped(runs.byModule.size),
          " of ",
          counted(network.modules.length, "module"),
          " ran on step ",
          runs.step,
          " (",
          /* @__PURE__ */ (0, import_jsx_runtime20.jsx)("bdi", { children: runs.type }),
          ")"
        ] }),
        /* @__PURE__ */ (0, import_jsx_runtime20.jsx)("button", { type: "button", onClick: () => setOpen(new Set(network.modules.keys())), children: "Expand all" }),
        /* @__PURE__ */ (0, import_jsx_runtime20.jsx)("button", { type: "button", onClick: () => setOpen(/* @__PURE__ */ new Set()), children: "Collapse all" })
      ] }),
      /* @__PURE__ */ (0, import_jsx_runtime20.jsxs)("div", { class: runs === null ? "tree-header" : "tree-header tree-with-runs", "aria-hidden": "true", children: [
        /* @__PURE__ */ (0, import_jsx_runtime20.jsx)("span", { children: "Module or parameter" }),
        runs !== null && /* @__PURE__ */ (0, import_jsx_runtime20.jsxs)("span", { class: "tree-run", children: [
          "On step ",
          runs.step
        ] }),
        /* @__PURE__ */ (0, import_jsx_runtime20.jsx)("span", { children: "Type" }),
        /* @__PURE__ */ (0, import_jsx_runtime20.jsx)("span", { class: "number", children: "Shape" }),
        /* @__PURE__ */ (0, import_jsx_runtime20.jsx)("span", { class: "number", children: "Values" })
      ] }),
      /* @__PURE__ */ (0, import_jsx_runtime20.jsx)("ul", { class: runs === null ? "tree" : "tree tree-with-runs", "data-testid": "network-tree", children: roots.map((root) => /* @__PURE__ */ (0, import_jsx_runtime20.jsx)(Module, { node: root, depth: 0, open, toggle, runs }, root.id)) })
    ] });
  }
  function openAtFirst(roots) {
    const open = /* @__PURE__ */ new Set();
    let rows = roots.length;
    for (let level = [...roots]; level.length > 0; level = level.flatMap((node) => node.children)) {
      rows += level.reduce((sum, node) => sum + node.children.length + node.parameters.length, 0);
      if (rows > OPEN_ROWS && open.size > 0) {
        break;
      }
      level.forEach((node) => open.add(node.id));
    }
    return open;
  }
  function Module({ node, depth, open, toggle, runs }) {
    const isOpen = open.has(node.id);
    const isLeaf = node.children.length + node.parameters.length === 0;
    return /* @__PURE__ */ (0, import_jsx_runtime20.jsxs)("li", { children: [
      /* @__PURE__ */ (0, import_jsx_runtime20.jsxs)("div", { class: "tree-row", children: [
        /* @__PURE__ */ (0, import_jsx_runtime20.jsxs)("span", { class: "tree-name", style: { paddingLeft: `${depth * 20}px` }, children: [
          isLeaf ? /* @__PURE__ */ (0, import_jsx_runtime20.jsx)("span", { class: "tree-toggle" }) : /* @__PURE__ */ (0, import_jsx_runtime20.jsx)("button", { type: "button", class: "tree-toggle", "aria-expanded": isOpen, "aria-label": `${isOpen ? "Collapse" : "Expand"} ${node.name}`, onClick: () => toggle(node.id), children: isOpen ? "\u25BE" : "\u25B8" }),
          /* @__PURE__ */ (0, import_jsx_runtime20.jsx)("bdi", { title: node.name, children: node.label })
        ] }),
        runs !== null && /* @__PURE__ */ (0, import_jsx_runtime20.jsx)("span", { "data-testid": "module-run", class: runs.byModule.has(node.id) ? "tree-run" : "tree-run soft", style: { "--indent": `${depth * 20 + 30}px` }, children: runs.byModule.get(node.id) ?? "did not run" }),
        /* @__PURE__ */ (0, import_jsx_runtime20.jsx)("span", { class: "soft", children: /* @__PURE__ */ (0, import_jsx_runtime20.jsx)("bdi", { children: node.type }) }),
        /* @__PURE__ */ (0, import_jsx_runtime20.jsx)("span", {}),
        /* @__PURE__ */ (0, import_jsx_runtime20.jsx)("span", { class: "number", children: grouped(node.values) })
      ] }),
      isOpen && !isLeaf && /* @__PURE__ */ (0, import_jsx_runtime20.jsxs)("ul", { children: [
        node.parameters.map((parameter) => /* @__PURE__ */ (0, import_jsx_runtime20.jsx)(ParameterRow, { parameter, module: node.name, depth: depth + 1, hasRuns: runs !== null }, parameter.name)),
        node.children.map((child) => /* @__PURE__ */ (0, import_jsx_runtime20.jsx)(Module, { node: child, depth: depth + 1, open, toggle, runs }, child.id))
      ] })
    ] });
  }
  function ParameterRow({ parameter, module, depth, hasRuns }) {
    const label = parameter.name.startsWith(`${module}.`) ? parameter.name.slice(module.length + 1) : parameter.name;
    return /* @__PURE__ */ (0, import_jsx_runtime20.jsxs)("li", { class: "tree-row tree-parameter", "data-testid": "network-parameter", children: [
      /* @__PURE__ */ (0, import_jsx_runtime20.jsxs)("span", { class: "tree-name", style: { paddingLeft: `${depth * 20}px` }, children: [
        /* @__PURE__ */ (0, import_jsx_runtime20.jsx)("span", { class: "tree-toggle", children: /* @__PURE__ */ (0, import_jsx_runtime20.jsx)("span", { class: "legend-badge type-parameter", "aria-hidden": "true", children: "P" }) }),
        /* @__PURE__ */ (0, import_jsx_runtime20.jsx)("bdi", { title: parameter.name, children: label }),
        parameter.alias_of !== null && /* @__PURE__ */ (0, import_jsx_runtime20.jsxs)("span", { class: "tag", title: `The same tensor as ${parameter.alias_of}; counted there`, children: [
          "shared with ",
          /* @__PURE__ */ (0, import_jsx_runtime20.jsx)("bdi", { children: parameter.alias_of })
        ] }),
        !parameter.requires_grad && /* @__PURE__ */ (0, import_jsx_runtime20.jsx)("span", { class: "tag", children: "frozen" })
      ] }),
      hasRuns && /* @__PURE__ */ (0, import_jsx_runtime20.jsx)("span", { class: "tree-run" }),
      /* @__PURE__ */ (0, import_jsx_runtime20.jsx)("span", { class: "soft", children: parameter.dtype }),
      /* @__PURE__ */ (0, import_jsx_runtime20.jsx)("span", { class: "number soft", children: shapeText(parameter.shape) }),
      /* @__PURE__ */ (0, import_jsx_runtime20.jsx)("span", { class: "number", children: parameter.alias_of === null ? grouped(valuesOf(parameter)) : "\u2013" })
    ] });
  }

  // src/views/notes.tsx
  var import_hooks14 = __toESM(require_hooks(), 1);
  var import_jsx_runtime21 = __toESM(require_jsx_runtime(), 1);
  var PAGE2 = 500;
  function NotesView({ store }) {
    return /* @__PURE__ */ (0, import_jsx_runtime21.jsx)(DocumentView, { store, read: (bundle, trial) => bundle.notes(trial), what: "the notes", children: (notes, trial) => /* @__PURE__ */ (0, import_jsx_runtime21.jsx)(NoteList, { store, notes, trial }, keyOf(trial)) });
  }
  function NoteList({ store, notes, trial }) {
    const [search, setSearch] = (0, import_hooks14.useState)("");
    const [limit, setLimit] = (0, import_hooks14.useState)(PAGE2);
    if (notes.length === 0) {
      return /* @__PURE__ */ (0, import_jsx_runtime21.jsx)("p", { class: "empty", "data-testid": "notes-empty", children: "There are no notes in this trial." });
    }
    const wanted = search.trim().toLowerCase();
    const found = wanted === "" ? notes : notes.filter((note) => note.text.toLowerCase().includes(wanted) || String(note.step ?? "") === wanted);
    return /* @__PURE__ */ (0, import_jsx_runtime21.jsxs)("section", { class: "page", "aria-label": "Notes", children: [
      /* @__PURE__ */ (0, import_jsx_runtime21.jsxs)("div", { class: "page-bar", children: [
        /* @__PURE__ */ (0, import_jsx_runtime21.jsx)(
          "input",
          {
            type: "search",
            "data-testid": "notes-filter",
            "aria-label": "Search the notes",
            placeholder: "Search the notes",
            value: search,
            onInput: (event) => (setSearch(event.currentTarget.value), setLimit(PAGE2))
          }
        ),
        /* @__PURE__ */ (0, import_jsx_runtime21.jsx)("p", { class: "soft", "aria-live": "polite", "data-testid": "notes-count", children: wanted === "" ? counted(notes.length, "note") : `${grouped(found.length)} of ${counted(notes.length, "note")}` })
      ] }),
      /* @__PURE__ */ (0, import_jsx_runtime21.jsx)("ol", { class: "notes", "data-testid": "notes", children: found.slice(0, limit).map((note, k) => /* @__PURE__ */ (0, import_jsx_runtime21.jsxs)("li", { "data-testid": "note", children: [
        /* @__PURE__ */ (0, import_jsx_runtime21.jsx)(NoteStep, { store, trial, step: note.step }),
        /* @__PURE__ */ (0, import_jsx_runtime21.jsx)("p", { dir: "auto", children: note.text })
      ] }, k)) }),
      found.length > limit && /* @__PURE__ */ (0, import_jsx_runtime21.jsxs)("button", { type: "button", onClick: () => setLimit(limit + PAGE2), children: [
        "Show ",
        Math.min(PAGE2, found.length - limit),
        " more"
      ] })
    ] });
  }
  function NoteStep({ store, trial, step }) {
    if (step === null) {
      return /* @__PURE__ */ (0, import_jsx_runtime21.jsx)("span", { class: "note-step soft", children: "before the first step" });
    }
    if (!trial.steps.step.includes(step)) {
      return /* @__PURE__ */ (0, import_jsx_runtime21.jsxs)("span", { class: "note-step", children: [
        "step ",
        step
      ] });
    }
    const go = () => {
      store.goToStep(step);
      store.tab.value = "tensors";
    };
    return /* @__PURE__ */ (0, import_jsx_runtime21.jsxs)("button", { type: "button", class: "note-step link", title: "Show the tensors of this step", onClick: go, children: [
      "step ",
      step
    ] });
  }

  // src/views/controls.tsx
  var import_jsx_runtime22 = __toESM(require_jsx_runtime(), 1);
  function Field({ id, label, letter, wide, onPrevious, onNext, output, children }) {
    return /* @__PURE__ */ (0, import_jsx_runtime22.jsxs)("div", { class: wide ? "field field-wide" : "field", "data-testid": `selector-${id}`, children: [
      /* @__PURE__ */ (0, import_jsx_runtime22.jsxs)("div", { class: "field-head", children: [
        /* @__PURE__ */ (0, import_jsx_runtime22.jsx)("label", { for: `select-${id}`, children: label }),
        output
      ] }),
      /* @__PURE__ */ (0, import_jsx_runtime22.jsxs)("div", { class: "field-control", children: [
        /* @__PURE__ */ (0, import_jsx_runtime22.jsx)(StepButton, { direction: "previous", label, letter: letter.toUpperCase(), id, onClick: onPrevious }),
        children,
        /* @__PURE__ */ (0, import_jsx_runtime22.jsx)(StepButton, { direction: "next", label, letter, id, onClick: onNext })
      ] })
    ] });
  }
  function StepButton({ direction, label, letter, id, onClick }) {
    return /* @__PURE__ */ (0, import_jsx_runtime22.jsx)(
      "button",
      {
        type: "button",
        class: "step-button",
        "data-testid": `${direction}-${id}`,
        "aria-label": `${direction === "previous" ? "Previous" : "Next"}: ${label}`,
        title: `Key ${letter}`,
        "aria-keyshortcuts": letter,
        "aria-disabled": onClick === null,
        onClick: () => onClick?.(),
        children: direction === "previous" ? "\u2039" : "\u203A"
      }
    );
  }
  var NOTHING = "\u2013";
  function Picker({ id, label, letter, options, value, onChange }) {
    const current = options.findIndex((option) => option.value === value);
    const go = (found) => found === void 0 ? null : () => onChange(found.value);
    const previous = options.slice(0, Math.max(0, current)).reverse().find((option) => !option.disabled);
    const next = options.slice(current + 1).find((option) => !option.disabled);
    const shown = current < 0 ? [{ value, label: options.length === 0 || value === "" ? NOTHING : value, disabled: true }, ...options] : options;
    return /* @__PURE__ */ (0, import_jsx_runtime22.jsx)(Field, { id, label, letter, onPrevious: go(previous), onNext: go(next), children: /* @__PURE__ */ (0, import_jsx_runtime22.jsx)("select", { id: `select-${id}`, "data-testid": `select-${id}`, value, onChange: (event) => onChange(event.currentTarget.value), children: shown.map((option) => /* @__PURE__ */ (0, import_jsx_runtime22.jsx)("option", { value: option.value, disabled: option.disabled ?? false, selected: option.value === value, children: option.label }, option.value)) }) });
  }
  function Slider({ id, label, letter, numbers, value, onChange }) {
    const place2 = Math.max(0, numbers.indexOf(value));
    const go = (number2) => number2 === void 0 ? null : () => onChange(number2);
    const last = Math.max(0, numbers.length - 1);
    const of = `${place2 + 1} of ${numbers.length}`;
    return /* @__PURE__ */ (0, import_jsx_runtime22.jsx)(
      Field,
      {
        id,
        label,
        letter,
        wide: true,
        onPrevious: go(numbers[place2 - 1]),
        onNext: go(numbers[place2 + 1]),
        output: /* @__PURE__ */ (0, import_jsx_runtime22.jsx)("output", { class: "field-number", for: `select-${id}`, "data-testid": `value-${id}`, title: of, children: numbers.length === 0 ? NOTHING : value }),
        children: /* @__PURE__ */ (0, import_jsx_runtime22.jsx)(
          "input",
          {
            type: "range",
            id: `select-${id}`,
            "data-testid": `select-${id}`,
            min: 0,
            max: last,
            step: 1,
            value: place2,
            disabled: numbers.length < 2,
            "aria-valuetext": `${value}, ${of}`,
            onInput: (event) => {
              const number2 = numbers[Number(event.currentTarget.value)];
              if (number2 !== void 0 && number2 !== value) {
                onChange(number2);
              }
            }
          }
        )
      }
    );
  }

  // src/views/selectors.tsx
  var import_jsx_runtime23 = __toESM(require_jsx_runtime(), 1);
  function TrialSelector({ store }) {
    const { trial, rank } = store.selection.value;
    const ranks = rankOptions(store.bundle, trial);
    return /* @__PURE__ */ (0, import_jsx_runtime23.jsxs)("div", { class: "trial-selectors", children: [
      /* @__PURE__ */ (0, import_jsx_runtime23.jsx)(Picker, { id: "trial", letter: "t", label: "Trial", options: trialOptions(store.bundle), value: trial, onChange: (value) => store.change("trial", value) }),
      ranks.length > 0 && /* @__PURE__ */ (0, import_jsx_runtime23.jsx)(Picker, { id: "rank", letter: "k", label: "Rank", options: ranks, value: rank, onChange: (value) => store.change("rank", value) })
    ] });
  }
  function Selectors({ store }) {
    const selection = store.selection.value;
    const trial = store.trial.value;
    const open = store.shown.value?.open ?? null;
    if (trial === void 0) {
      return null;
    }
    const steps = stepsOfType(store.bundle, trial, selection.stepType).map((k) => trial.steps.step[k]);
    const iterations = Array.from({ length: open?.offers.iterations ?? 0 }, (_, k) => k);
    const text2 = (position) => store.bundle.text(position);
    const aggregations = open === null ? [] : aggregationOptions(open.offers, selection, (value) => aggregationLabel(value, open.samples, text2));
    const roles = open === null ? [] : roleOptions(open.offers, selection).map((option) => ({ ...option, label: roleLabel(option.label) }));
    return /* @__PURE__ */ (0, import_jsx_runtime23.jsxs)("div", { class: "selectors", role: "group", "aria-label": "Selection", children: [
      /* @__PURE__ */ (0, import_jsx_runtime23.jsx)(
        Picker,
        {
          id: "recording",
          letter: "g",
          label: "Recording type",
          options: open === null ? [] : recordingOptions(open.offers, selection),
          value: selection.recording,
          onChange: (value) => store.change("recording", value)
        }
      ),
      /* @__PURE__ */ (0, import_jsx_runtime23.jsx)(
        Picker,
        {
          id: "step-type",
          letter: "y",
          label: "Training step type",
          options: stepTypeOptions(store.bundle, trial),
          value: selection.stepType,
          onChange: (value) => store.change("stepType", value)
        }
      ),
      /* @__PURE__ */ (0, import_jsx_runtime23.jsx)(Slider, { id: "step", letter: "s", label: "Training step", numbers: steps, value: selection.step, onChange: (value) => store.change("step", value) }),
      /* @__PURE__ */ (0, import_jsx_runtime23.jsx)(Slider, { id: "iteration", letter: "i", label: "Iteration", numbers: iterations, value: selection.iteration, onChange: (value) => store.change("iteration", value) }),
      /* @__PURE__ */ (0, import_jsx_runtime23.jsx)(Picker, { id: "aggregation", letter: "b", label: "Batch or sample", options: aggregations, value: selection.aggregation, onChange: (value) => store.change("aggregation", value) }),
      /* @__PURE__ */ (0, import_jsx_runtime23.jsx)(Picker, { id: "role", letter: "r", label: "Role of tensor", options: roles, value: selection.role, onChange: (value) => store.change("role", value) })
    ] });
  }

  // src/views/share.tsx
  var import_hooks15 = __toESM(require_hooks(), 1);
  var import_jsx_runtime24 = __toESM(require_jsx_runtime(), 1);
  var SAID_MILLISECONDS = 2e3;
  function CopyLink({ link }) {
    const [said, setSaid] = (0, import_hooks15.useState)("nothing");
    const [shown, setShown] = (0, import_hooks15.useState)(null);
    const field = (0, import_hooks15.useRef)(null);
    const copy = async () => {
      const address = addressOf(link());
      try {
        await navigator.clipboard.writeText(address);
        setSaid("copied");
        setTimeout(() => setSaid("nothing"), SAID_MILLISECONDS);
      } catch {
        setShown(address);
        requestAnimationFrame(() => field.current?.select());
      }
    };
    return /* @__PURE__ */ (0, import_jsx_runtime24.jsxs)("span", { class: "share", children: [
      /* @__PURE__ */ (0, import_jsx_runtime24.jsx)("button", { type: "button", class: "header-button", "data-testid": "copy-link", "aria-keyshortcuts": "c", title: "Copy a link to exactly this view (c)", onClick: () => void copy(), children: said === "copied" ? "Link copied" : "Copy link" }),
      /* @__PURE__ */ (0, import_jsx_runtime24.jsx)("span", { class: "visually-hidden", role: "status", "aria-live": "polite", children: said === "copied" ? "The link is on the clipboard." : "" }),
      shown !== null && /* @__PURE__ */ (0, import_jsx_runtime24.jsx)("input", { ref: field, type: "text", readOnly: true, class: "share-field", "data-testid": "link-text", "aria-label": "Link to this view; copy it from here", value: shown, onBlur: () => setShown(null) })
    ] });
  }
  function addressOf(hash) {
    return `${window.location.href.split("#", 1)[0]}#${hash}`;
  }

  // src/views/splitter.tsx
  var import_hooks16 = __toESM(require_hooks(), 1);
  var import_jsx_runtime25 = __toESM(require_jsx_runtime(), 1);
  var SMALLEST = 25;
  var LARGEST = 75;
  var KEY_STEP = 3;
  function Splitter({ share, onShare }) {
    const bar = (0, import_hooks16.useRef)(null);
    const [dragging, setDragging] = (0, import_hooks16.useState)(false);
    const set = (value) => onShare(Math.max(SMALLEST, Math.min(LARGEST, value)));
    const onPointerMove = (event) => {
      const room = bar.current?.parentElement?.getBoundingClientRect();
      if (dragging && room !== void 0) {
        set((event.clientY - room.top) / room.height * 100);
      }
    };
    const onKeyDown = (event) => {
      const step = { ArrowUp: -KEY_STEP, ArrowDown: KEY_STEP }[event.key];
      if (step !== void 0) {
        event.preventDefault();
        set(share + step);
      }
    };
    return /* @__PURE__ */ (0, import_jsx_runtime25.jsx)(
      "div",
      {
        ref: bar,
        class: "splitter",
        role: "separator",
        "aria-orientation": "horizontal",
        tabIndex: 0,
        "data-arrow-keys": true,
        "aria-label": "Room for the graph",
        "aria-valuemin": SMALLEST,
        "aria-valuemax": LARGEST,
        "aria-valuenow": Math.round(share),
        onPointerDown: (event) => (event.currentTarget.setPointerCapture(event.pointerId), setDragging(true)),
        onPointerMove,
        onPointerUp: () => setDragging(false),
        onPointerCancel: () => setDragging(false),
        onKeyDown
      }
    );
  }

  // src/views/step_notes.tsx
  var import_jsx_runtime26 = __toESM(require_jsx_runtime(), 1);
  var LISTED = 20;
  function StepTrigger({ store }) {
    const shown = store.shown.value;
    const reason = shown?.open?.trial.steps.triggered[shown.step] ?? -1;
    return reason < 0 ? null : /* @__PURE__ */ (0, import_jsx_runtime26.jsxs)("p", { class: "step-note step-trigger", "data-testid": "step-trigger", children: [
      /* @__PURE__ */ (0, import_jsx_runtime26.jsx)("strong", { children: "Triggered step." }),
      " It was not its turn to be recorded: ",
      /* @__PURE__ */ (0, import_jsx_runtime26.jsx)("bdi", { children: store.bundle.text(reason) }),
      " ",
      /* @__PURE__ */ (0, import_jsx_runtime26.jsx)("span", { class: "soft", children: "Such steps are a biased sample, kept apart from the regular ones." })
    ] });
  }
  function StepGaps({ store }) {
    void store.version.value;
    const shown = store.shown.value;
    const count2 = shown?.open?.trial.steps.gaps[shown.step] ?? 0;
    if (shown === null || shown.open === null || count2 === 0) {
      return null;
    }
    const gaps = store.bundle.gaps(shown.open.trial);
    const own = gaps.state === "ready" ? gaps.value.filter((gap) => gap.step === shown.selection.step) : [];
    return /* @__PURE__ */ (0, import_jsx_runtime26.jsxs)("details", { class: "step-note gaps", "data-testid": "step-gaps", children: [
      /* @__PURE__ */ (0, import_jsx_runtime26.jsxs)("summary", { children: [
        counted(count2, "thing"),
        " could not be recorded on this step"
      ] }),
      /* @__PURE__ */ (0, import_jsx_runtime26.jsxs)("ul", { children: [
        own.slice(0, LISTED).map((gap, k) => /* @__PURE__ */ (0, import_jsx_runtime26.jsxs)("li", { dir: "auto", children: [
          gap.tensor !== null && /* @__PURE__ */ (0, import_jsx_runtime26.jsxs)(import_jsx_runtime26.Fragment, { children: [
            /* @__PURE__ */ (0, import_jsx_runtime26.jsx)("bdi", { class: "mono", children: gap.tensor }),
            gap.group !== null && /* @__PURE__ */ (0, import_jsx_runtime26.jsxs)(import_jsx_runtime26.Fragment, { children: [
              " (",
              /* @__PURE__ */ (0, import_jsx_runtime26.jsx)("bdi", { children: gap.group }),
              ")"
            ] }),
            gap.iteration !== null && `, iteration ${gap.iteration}`,
            ": "
          ] }),
          gap.reason
        ] }, k)),
        own.length > LISTED && /* @__PURE__ */ (0, import_jsx_runtime26.jsxs)("li", { children: [
          "and ",
          own.length - LISTED,
          " more, on the About tab"
        ] }),
        gaps.state === "failed" && /* @__PURE__ */ (0, import_jsx_runtime26.jsx)("li", { children: gaps.error.message })
      ] })
    ] });
  }

  // src/views/tabs.tsx
  var import_jsx_runtime27 = __toESM(require_jsx_runtime(), 1);
  var LABELS = { tensors: "Tensors", network: "Network", notes: "Notes", graphs: "Graphs", visualization: "Visualization", about: "About" };
  function TabBar({ store }) {
    const active = store.tab.value;
    const tabs = TABS.filter((tab) => tab !== "visualization" || store.bundle.index.visualizations.length > 0);
    const onKeyDown = (event) => {
      const place2 = tabs.indexOf(active);
      const target = { ArrowRight: place2 + 1, ArrowLeft: place2 - 1, Home: 0, End: tabs.length - 1 }[event.key];
      const tab = target === void 0 ? void 0 : tabs[(target + tabs.length) % tabs.length];
      if (tab !== void 0) {
        event.preventDefault();
        store.tab.value = tab;
        document.getElementById(`tab-${tab}`)?.focus();
      }
    };
    return /* @__PURE__ */ (0, import_jsx_runtime27.jsx)("div", { class: "tabs", role: "tablist", "aria-label": "Views", onKeyDown, children: tabs.map((tab, place2) => /* @__PURE__ */ (0, import_jsx_runtime27.jsx)(
      "button",
      {
        type: "button",
        id: `tab-${tab}`,
        role: "tab",
        "data-testid": `tab-${tab}`,
        "data-arrow-keys": true,
        "aria-keyshortcuts": String(place2 + 1),
        title: `Key ${place2 + 1}`,
        "aria-selected": tab === active,
        "aria-controls": `panel-${tab}`,
        tabIndex: tab === active ? 0 : -1,
        onClick: () => store.tab.value = tab,
        children: LABELS[tab]
      },
      tab
    )) });
  }

  // src/views/compare/compare_pane.tsx
  var import_hooks20 = __toESM(require_hooks(), 1);

  // src/views/picture/axes.ts
  var LARGEST_PICTURE = 2 ** 24;
  var MOST_TILES = 256;
  var LARGEST_TILED = 2 ** 22;
  var LONGEST_ROW = 48;
  function axesOf(shape, batchDimension) {
    return shape.map((size, position) => ({ position, size })).filter((axis) => axis.position !== batchDimension);
  }
  function arrange(axes) {
    if (axes.length < 2) {
      return { pages: [], rows: null, columns: axes[0] ?? null };
    }
    return { pages: axes.slice(0, -2), rows: axes.at(-2), columns: axes.at(-1) };
  }
  function canTile({ pages, rows, columns }) {
    const axis = pages.at(-1);
    const values = (axis?.size ?? 0) * (rows?.size ?? 0) * (columns?.size ?? 0);
    return axis !== void 0 && axis.size > 1 && axis.size <= MOST_TILES && values > 0 && values <= LARGEST_TILED;
  }
  function readPage(text2, arrangement) {
    const parts = text2?.split(".") ?? [];
    const last = arrangement.pages.length - 1;
    return arrangement.pages.map(({ size }, k) => {
      const part = parts[k] ?? "";
      if (k === last && canTile(arrangement) && (part === "*" || text2 === void 0)) {
        return null;
      }
      return /^\d{1,9}$/.test(part) && Number(part) < size ? Number(part) : 0;
    });
  }
  function writePage(page, arrangement) {
    const text2 = page.map((place2) => place2 ?? "*").join(".");
    return text2 === readPage(void 0, arrangement).map((place2) => place2 ?? "*").join(".") ? null : text2;
  }
  function rangeOf({ pages, rows, columns }, page) {
    const slice = (rows?.size ?? 1) * (columns?.size ?? 1);
    const tiles = page.length > 0 && page.at(-1) === null ? pages.at(-1).size : 1;
    return { start: page.reduce((place2, at, k) => place2 * pages[k].size + (at ?? 0), 0) * slice, count: tiles * slice };
  }
  function keyOfPicture({ pages, rows, columns }, page) {
    return `${[...pages, rows, columns].map((axis) => `${axis?.position}:${axis?.size}`).join()}/${page.join()}`;
  }
  function boardOf(arrangement, page, aspect) {
    const { rows, columns } = arrangement;
    if (rows === null || columns === null) {
      return wrapped(columns?.size ?? 1);
    }
    const { start: start2, count: count2 } = rangeOf(arrangement, page);
    return tiled(start2, count2 / Math.max(1, rows.size * columns.size), rows.size, columns.size, aspect);
  }
  function tiled(start2, tiles, tileRows, tileColumns, aspect) {
    const gap = tiles > 1 ? Math.max(1, Math.round(Math.min(tileRows, tileColumns) * 0.08)) : 0;
    const tilesAcross = acrossFor(tiles, tileRows + gap, tileColumns + gap, aspect);
    const tilesDown = Math.ceil(tiles / tilesAcross);
    const slice = tileRows * tileColumns;
    return {
      start: start2,
      count: tiles * slice,
      rows: tilesDown * (tileRows + gap) - gap,
      columns: tilesAcross * (tileColumns + gap) - gap,
      rowBase: bases(tilesDown, tileRows, gap, tilesAcross * slice, tileColumns),
      columnBase: bases(tilesAcross, tileColumns, gap, slice, 1),
      tileRows,
      tileColumns,
      tiles,
      tilesAcross
    };
  }
  function acrossFor(tiles, height, width, aspect) {
    let [best, largest] = [1, 0];
    for (let across = 1; across <= tiles; across++) {
      const scale = Math.min(aspect / (across * width), 1 / (Math.ceil(tiles / across) * height));
      if (scale > largest) {
        [best, largest] = [across, scale];
      }
    }
    return best;
  }
  function bases(tiles, size, gap, tileStride, stride) {
    const base = new Int32Array(Math.max(0, tiles * (size + gap) - gap)).fill(-1);
    for (let tile = 0; tile < tiles; tile++) {
      for (let k = 0; k < size; k++) {
        base[tile * (size + gap) + k] = tile * tileStride + k * stride;
      }
    }
    return base;
  }
  function wrapped(count2) {
    const columns = count2 <= LONGEST_ROW ? count2 : wrapWidth(count2);
    const rows = columns === 0 ? 0 : Math.ceil(count2 / columns);
    return {
      start: 0,
      count: count2,
      rows,
      columns,
      rowBase: Int32Array.from({ length: rows }, (_, row) => row * columns),
      columnBase: Int32Array.from({ length: columns }, (_, column2) => column2),
      tileRows: rows,
      tileColumns: columns,
      tiles: 1,
      tilesAcross: 1
    };
  }
  function wrapWidth(count2) {
    const wanted = Math.ceil(Math.sqrt(2 * count2));
    for (let distance = 0; distance <= wanted / 2; distance++) {
      const width = [wanted + distance, wanted - distance].find((candidate) => count2 % candidate === 0);
      if (width !== void 0) {
        return width;
      }
    }
    return Math.ceil(wanted / 8) * 8;
  }
  function valueAt2(board, row, column2) {
    const [down, right] = [board.rowBase[row] ?? -1, board.columnBase[column2] ?? -1];
    return down < 0 || right < 0 || down + right >= board.count ? -1 : down + right;
  }
  function cellOf(board, k) {
    const slice = board.tileRows * board.tileColumns;
    const [tile, rest] = [Math.floor(k / slice), k % slice];
    const down = Math.floor(tile / board.tilesAcross) * board.tilesAcross * slice + Math.floor(rest / board.tileColumns) * board.tileColumns;
    return { row: board.rowBase.indexOf(down), column: board.columnBase.indexOf(tile % board.tilesAcross * slice + rest % board.tileColumns) };
  }
  function axisName(axis) {
    return axis === null ? "a single value" : `axis ${axis.position} (${axis.size})`;
  }

  // src/views/shown_values.ts
  function shownValues({ store, shown, open, record }) {
    const { tensors } = open.content.layout;
    const aggregation = Math.max(0, store.offer.value?.aggregations.indexOf(shown.selection.aggregation) ?? 0);
    const numbers = open.content.numbers.neurons(record, aggregation);
    const axes = axesOf(tensors.shape[record.tensor] ?? [], tensors.batch_dimension[record.tensor] ?? null);
    const isAggregate = record.hasBatch && aggregation < BATCH_AGGREGATIONS.length;
    const isLeftOut = tensors.kind[record.tensor] === "neuron" && open.content.numbers.isLeftOut(record, aggregation);
    const absent = isLeftOut ? "Its values were left out of this bundle" : tensors.kind[record.tensor] === "single_value" ? "It is a single value" : open.trial.rank === null ? "Values, where recorded, are shown per rank" : "Its values were not recorded, only statistics";
    return {
      numbers,
      aggregation,
      isAggregate,
      axes,
      shape: axes.map((axis) => axis.size),
      dtype: isAggregate ? record.aggregatesDtype ?? record.precision : tensors.dtype[record.tensor] ?? record.precision,
      isLeftOut,
      absent: record.valueCount === 0 ? "The tensor is empty" : numbers.length === 0 ? absent : null
    };
  }

  // src/views/virtual_rows.tsx
  var import_hooks18 = __toESM(require_hooks(), 1);

  // src/views/virtual_scroll.ts
  var import_hooks17 = __toESM(require_hooks(), 1);
  var HIGHEST_ELEMENT = 8e6;
  var SETTLED_MILLISECONDS = 150;
  function useVirtualScroll(full, header) {
    const scroller = (0, import_hooks17.useRef)(null);
    const [height, setHeight] = (0, import_hooks17.useState)(0);
    const [{ offset, scrollTop }, setPosition] = (0, import_hooks17.useState)({ offset: 0, scrollTop: 0 });
    const position = (0, import_hooks17.useRef)({ offset, scrollTop });
    const timer = (0, import_hooks17.useRef)(void 0);
    const spaceHeight = Math.min(full, HIGHEST_ELEMENT);
    const ratio = ratioOf(full, spaceHeight, height);
    const last = Math.max(0, full - height);
    (0, import_hooks17.useLayoutEffect)(() => {
      const element = scroller.current;
      if (element === null) {
        return void 0;
      }
      const measure = () => setHeight(Math.max(0, element.clientHeight - header));
      const observer = new ResizeObserver(measure);
      observer.observe(element);
      measure();
      return () => observer.disconnect();
    }, [header]);
    const place2 = (next) => {
      position.current = next;
      setPosition(next);
    };
    const moveTo = (target) => {
      const next = Math.max(0, Math.min(target, last));
      if (scroller.current !== null) {
        scroller.current.scrollTop = next / ratio;
        place2({ offset: next, scrollTop: scroller.current.scrollTop });
      }
    };
    (0, import_hooks17.useLayoutEffect)(() => {
      if (offset > last) {
        moveTo(last);
      }
    }, [last]);
    const onScroll = () => {
      const now = scroller.current?.scrollTop ?? 0;
      const moved2 = now - position.current.scrollTop;
      if (moved2 === 0) {
        return;
      }
      const atEnd = now <= 0 || now >= spaceHeight - height - 1;
      const isJump = ratio === 1 || atEnd || Math.abs(moved2) > 2 * height;
      place2({ offset: Math.max(0, Math.min(isJump ? now * ratio : position.current.offset + moved2, last)), scrollTop: now });
      if (ratio !== 1) {
        clearTimeout(timer.current);
        timer.current = setTimeout(() => moveTo(position.current.offset), SETTLED_MILLISECONDS);
      }
    };
    const shift = ratio === 1 ? 0 : scrollTop - offset;
    return { scroller, spaceHeight, offset, height, shift, onScroll, moveTo };
  }
  function ratioOf(full, shown, visible) {
    return full <= shown ? 1 : (full - visible) / Math.max(1, shown - visible);
  }

  // src/views/virtual_rows.tsx
  var import_jsx_runtime28 = __toESM(require_jsx_runtime(), 1);
  var EXTRA_ROWS = 6;
  function VirtualRows({ count: count2, rowHeight, label, testId, resetKey, goTo, header, renderRow, onRange }) {
    const { scroller, spaceHeight, offset, height, shift, onScroll, moveTo } = useVirtualScroll(count2 * rowHeight, rowHeight);
    (0, import_hooks18.useLayoutEffect)(() => moveTo(0), [resetKey]);
    (0, import_hooks18.useLayoutEffect)(() => {
      if (goTo !== null) {
        moveTo(goTo.row * rowHeight);
      }
    }, [goTo]);
    const start2 = Math.max(0, Math.floor(offset / rowHeight) - EXTRA_ROWS);
    const end = Math.min(count2, Math.ceil((offset + height) / rowHeight) + EXTRA_ROWS);
    onRange(start2, end);
    const rows = [];
    for (let row = start2; row < end; row++) {
      rows.push(renderRow(row, row * rowHeight + shift));
    }
    return /* @__PURE__ */ (0, import_jsx_runtime28.jsxs)("div", { ref: scroller, class: "virtual", "data-testid": testId, "data-arrow-keys": true, tabIndex: 0, role: "table", "aria-label": label, "aria-rowcount": count2 + 1, onScroll, children: [
      header,
      /* @__PURE__ */ (0, import_jsx_runtime28.jsx)("div", { class: "virtual-space", role: "rowgroup", style: { height: `${spaceHeight}px` }, children: rows })
    ] });
  }

  // src/views/compare/difference.ts
  function differenceOf(a, b) {
    if (typeof a === "bigint" || typeof b === "bigint") {
      return Number.isInteger(Number(a)) && Number.isInteger(Number(b)) ? Number(BigInt(b) - BigInt(a)) : Number(b) - Number(a);
    }
    return Object.is(a, b) || a === b ? 0 : b - a;
  }
  function differs(a, b, tolerance) {
    const difference = differenceOf(a, b);
    if (difference === 0) {
      return false;
    }
    const largest = Math.max(Math.abs(Number(a)), Math.abs(Number(b)));
    return !Number.isFinite(difference) || Math.abs(difference) > tolerance * largest;
  }
  function compare(a, b) {
    const count2 = Math.min(a.length, b.length);
    const found = { count: count2, equal: 0, notFinite: 0, largest: 0, at: -1, mean: NaN };
    let [sum, finite] = [0, 0];
    for (let k = 0; k < count2; k++) {
      const [first, second] = [a.at(k), b.at(k)];
      if (first === void 0 || second === void 0) {
        return void 0;
      }
      const difference = Math.abs(differenceOf(first, second));
      if (!Number.isFinite(difference)) {
        found.notFinite += 1;
        continue;
      }
      found.equal += Number(difference === 0);
      finite += 1;
      sum += difference;
      if (found.at < 0 || difference > found.largest) {
        found.largest = difference;
        found.at = k;
      }
    }
    if (finite > 0) {
      found.mean = sum / finite;
    }
    return found;
  }
  function byDifference(a, b) {
    const count2 = Math.min(a.length, b.length);
    const sizes = new Float64Array(count2);
    for (let k = 0; k < count2; k++) {
      const [first, second] = [a.at(k), b.at(k)];
      if (first === void 0 || second === void 0) {
        return void 0;
      }
      const size = Math.abs(differenceOf(first, second));
      sizes[k] = Number.isNaN(size) ? Infinity : size;
    }
    return Uint32Array.from(sizes, (_, k) => k).sort((x, y) => sizes[x] === sizes[y] ? x - y : sizes[y] > sizes[x] ? 1 : -1);
  }

  // src/views/compare/differing_tensors.tsx
  var import_hooks19 = __toESM(require_hooks(), 1);

  // src/views/compare/tensors.ts
  function match(a, b, recordingOfA, recordingOfB) {
    const recordsOfB = recordsByName(b, recordingOfB);
    const total = recordsOfB.size;
    const pairs = [];
    let onlyInA = 0;
    for (const [key, { record, iteration, name }] of recordsByName(a, recordingOfA)) {
      const other = recordsOfB.get(key);
      const place2 = placeOf(a, record.tensor, iteration);
      if (other === void 0) {
        onlyInA += 1;
      } else if (place2 !== void 0) {
        pairs.push({ ...place2, name, a: record, b: other.record });
      }
    }
    const nodes = a.graphs.flatMap((graph, iteration) => graph.nodes.name.map((node) => `${iteration}/${node}`));
    const order = new Map(nodes.map((node, position) => [node, position]));
    const rank = (pair) => order.get(`${pair.iteration}/${pair.node}`) ?? Infinity;
    return { pairs: pairs.sort((x, y) => rank(x) - rank(y)), onlyInA, onlyInB: total - pairs.length };
  }
  function chunksOf(found, a, b) {
    return found.pairs.flatMap((pair) => [...statisticsOf2(a, pair.a).chunks, ...statisticsOf2(b, pair.b).chunks]);
  }
  function findDiffering(found, a, b, tolerance) {
    const differing = [];
    for (const pair of found.pairs) {
      const [first, second] = [statisticsOf2(a, pair.a), statisticsOf2(b, pair.b)];
      const items = pair.a.items.filter((item2) => pair.b.items.includes(item2));
      for (const item2 of items) {
        const [x, y] = [first.at(item2), second.at(item2)];
        if (x === void 0 || y === void 0) {
          return void 0;
        }
        if (differs(x, y, tolerance)) {
          differing.push({ iteration: pair.iteration, node: pair.node, role: pair.role, item: item2, a: x, b: y });
          break;
        }
      }
    }
    return { compared: found.pairs.length, differing };
  }
  function statisticsOf2(open, record) {
    const numbers = open.content.numbers.statistics(record, 0);
    return { at: (item2) => numbers.at(record.items.indexOf(item2)), chunks: numbers.chunks(0, numbers.length) };
  }
  function recordsByName(open, recording) {
    const { tensors } = open.content.layout;
    const records = [...open.content.table.byGroup.get(recording)?.values() ?? []];
    return new Map(
      records.map((record) => {
        const [name, iteration] = [tensors.name[record.tensor], tensors.iteration[record.tensor]];
        return [`${iteration}/${name}`, { record, iteration, name }];
      })
    );
  }
  function placeOf(open, tensor, iteration) {
    const iterations = iteration >= 0 ? [iteration] : open.graphs.keys();
    for (const candidate of iterations) {
      const offer = open.offers.of(candidate).find((one) => one.tensor === tensor);
      if (offer !== void 0) {
        return { iteration: candidate, node: offer.node, role: offer.role };
      }
    }
    return void 0;
  }

  // src/views/compare/differing_tensors.tsx
  var import_jsx_runtime29 = __toESM(require_jsx_runtime(), 1);
  var TOLERANCES = [0, 1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.1];
  var FIRST_TOLERANCE = 1e-5;
  var LISTED2 = 50;
  function DifferingTensors({ store, shown, open, second, other }) {
    const [isOpen, setOpen] = (0, import_hooks19.useState)(false);
    const [tolerance, setTolerance] = (0, import_hooks19.useState)(FIRST_TOLERANCE);
    const found = (0, import_hooks19.useMemo)(() => match(open, other, shown.selection.recording, second.selection.recording), [open, other, shown.selection.recording, second.selection.recording]);
    const version = store.version.value;
    const findings = (0, import_hooks19.useMemo)(() => isOpen ? findDiffering(found, open, other, tolerance) : void 0, [isOpen, found, tolerance, version]);
    if (isOpen) {
      store.bundle.chunks.request([...new Set(chunksOf(found, open, other))]);
    }
    const select = ({ iteration, node, role }) => {
      store.change("iteration", iteration);
      store.change("node", node);
      store.change("role", role);
    };
    return /* @__PURE__ */ (0, import_jsx_runtime29.jsxs)("details", { class: "differing", "data-testid": "differing", open: isOpen, onToggle: (event) => setOpen(event.currentTarget.open), children: [
      /* @__PURE__ */ (0, import_jsx_runtime29.jsx)("summary", { children: "All tensors of A and B" }),
      /* @__PURE__ */ (0, import_jsx_runtime29.jsxs)("label", { class: "tolerance", children: [
        "Ignore differences up to",
        " ",
        /* @__PURE__ */ (0, import_jsx_runtime29.jsx)("select", { "data-testid": "tolerance", value: String(tolerance), onChange: (event) => setTolerance(Number(event.currentTarget.value)), children: TOLERANCES.map((value) => /* @__PURE__ */ (0, import_jsx_runtime29.jsx)("option", { value: String(value), children: value === 0 ? "nothing" : `${value} of the value` }, value)) })
      ] }),
      /* @__PURE__ */ (0, import_jsx_runtime29.jsx)("p", { "data-testid": "differing-count", children: sentence2(found, findings) }),
      /* @__PURE__ */ (0, import_jsx_runtime29.jsx)("ol", { children: findings?.differing.slice(0, LISTED2).map((tensor) => /* @__PURE__ */ (0, import_jsx_runtime29.jsxs)("li", { children: [
        /* @__PURE__ */ (0, import_jsx_runtime29.jsxs)("button", { type: "button", class: "chip", onClick: () => select(tensor), children: [
          /* @__PURE__ */ (0, import_jsx_runtime29.jsx)("bdi", { children: nodeLabel(tensor.node) }),
          tensor.role !== tensor.node && /* @__PURE__ */ (0, import_jsx_runtime29.jsxs)("span", { class: "soft", children: [
            " / ",
            /* @__PURE__ */ (0, import_jsx_runtime29.jsx)("bdi", { children: roleLabel(tensor.role) })
          ] }),
          open.graphs.length > 1 && /* @__PURE__ */ (0, import_jsx_runtime29.jsxs)("span", { class: "soft", children: [
            " in iteration ",
            tensor.iteration
          ] })
        ] }),
        " ",
        /* @__PURE__ */ (0, import_jsx_runtime29.jsxs)("span", { class: "soft", children: [
          tensor.item,
          " ",
          brief(Number(tensor.a)),
          ", in B ",
          changeOf(tensor)
        ] })
      ] }, `${tensor.iteration}/${tensor.node}/${tensor.role}`)) })
    ] });
  }
  function changeOf({ a, b }) {
    const difference = differenceOf(a, b);
    return Number.isFinite(difference) ? `${difference > 0 ? "+" : "\u2212"}${brief(Math.abs(difference))}` : brief(Number(b));
  }
  function sentence2(found, findings) {
    if (findings === void 0) {
      return "Comparing\u2026";
    }
    const { compared, differing } = findings;
    const parts = [differing.length === 0 ? `The statistics of all ${counted(compared, "tensor")} agree` : `${differing.length} of ${counted(compared, "tensor")} differ`];
    if (found.onlyInA > 0) {
      parts.push(`${counted(found.onlyInA, "tensor")} only in A`);
    }
    if (found.onlyInB > 0) {
      parts.push(`${counted(found.onlyInB, "tensor")} only in B`);
    }
    const order = differing.length > LISTED2 ? ` The first ${LISTED2} in the order of the graph:` : differing.length > 1 ? " In the order of the graph:" : "";
    return `${parts.join("; ")}.${order}`;
  }

  // src/views/compare/pin_bar.tsx
  var import_jsx_runtime30 = __toESM(require_jsx_runtime(), 1);
  var LABELS2 = {
    trial: "trial",
    rank: "rank",
    step: "step",
    recording: "recording",
    iteration: "iteration",
    node: "node",
    role: "role",
    aggregation: "batch or sample"
  };
  function PinBar({ store }) {
    const shown = store.shown.value;
    const pin = store.pin.value;
    if (shown === null) {
      return null;
    }
    const { selection } = shown;
    if (pin === null) {
      return /* @__PURE__ */ (0, import_jsx_runtime30.jsx)("div", { class: "pin-bar", children: /* @__PURE__ */ (0, import_jsx_runtime30.jsx)("button", { type: "button", "data-testid": "pin", "aria-keyshortcuts": "p", onClick: () => store.setPin(pinOf(selection)), children: "Compare with this view" }) });
    }
    const hasRanks = [selection.trial, pin.trial].some((trial) => trial !== void 0 && rankOptions(store.bundle, trial).length > 1);
    return /* @__PURE__ */ (0, import_jsx_runtime30.jsxs)("div", { class: "pin-bar", role: "group", "aria-label": "The second view, B", children: [
      /* @__PURE__ */ (0, import_jsx_runtime30.jsx)("strong", { children: "B" }),
      PINNABLE.filter((attribute) => attribute !== "rank" || hasRanks).map((attribute) => /* @__PURE__ */ (0, import_jsx_runtime30.jsx)(
        Attribute,
        {
          attribute,
          selection,
          pin,
          text: textOf(store, attribute, String(withPin(selection, pin)[attribute])),
          onChange: (changed) => store.setPin(changed)
        },
        attribute
      )),
      /* @__PURE__ */ (0, import_jsx_runtime30.jsx)("button", { type: "button", "data-testid": "swap", "aria-keyshortcuts": "w", title: "Show B, and compare it with what is shown now", onClick: () => swap(store, selection, pin), children: "Swap A and B" }),
      /* @__PURE__ */ (0, import_jsx_runtime30.jsx)("button", { type: "button", "data-testid": "unpin", "aria-keyshortcuts": "p", onClick: () => store.setPin(null), children: "Stop comparing" })
    ] });
  }
  function Attribute({ attribute, selection, pin, text: text2, onChange }) {
    const isFixed = pin[attribute] !== void 0;
    const says = isFixed ? `${ATTRIBUTE_NAMES[attribute]} of B stays at ${text2}` : `${ATTRIBUTE_NAMES[attribute]} of B follows A`;
    return /* @__PURE__ */ (0, import_jsx_runtime30.jsxs)(
      "button",
      {
        type: "button",
        class: "pin-attribute",
        "data-testid": `pin-${attribute}`,
        "aria-pressed": isFixed,
        title: `${says}. Click to change that.`,
        onClick: () => onChange(pinned(pin, attribute, isFixed ? void 0 : selection[attribute])),
        children: [
          /* @__PURE__ */ (0, import_jsx_runtime30.jsx)("span", { class: "soft", children: LABELS2[attribute] }),
          " ",
          /* @__PURE__ */ (0, import_jsx_runtime30.jsx)("bdi", { children: isFixed ? text2 : "as A" })
        ]
      }
    );
  }
  function textOf(store, attribute, value) {
    const samples = store.shown.value?.open?.samples;
    const label = attribute === "aggregation" && samples !== void 0 ? aggregationLabel(value, samples, (position) => store.bundle.text(position)) : attribute === "node" ? nodeLabel(value) : attribute === "role" ? roleLabel(value) : "";
    return label === "" ? value : label;
  }
  function swap(store, selection, pin) {
    const fixed2 = Object.keys(pin);
    const other = Object.fromEntries(fixed2.map((attribute) => [attribute, selection[attribute]]));
    store.open({ tab: store.tab.value, selection: withPin(selection, pin), view: store.view.value });
    store.setPin(other);
  }

  // src/views/compare/compare_pane.tsx
  var import_jsx_runtime31 = __toESM(require_jsx_runtime(), 1);
  var ROW_HEIGHT2 = 26;
  var NOT_YET = "\u2026";
  function ComparePane(props) {
    const { store } = props;
    const second = store.second.value;
    return /* @__PURE__ */ (0, import_jsx_runtime31.jsxs)("div", { class: "compare", children: [
      /* @__PURE__ */ (0, import_jsx_runtime31.jsx)(PinBar, { store }),
      second === null ? /* @__PURE__ */ (0, import_jsx_runtime31.jsx)("p", { class: "empty", "data-testid": "compare-empty", children: "Make what is shown now the second view, B. Then select another trial, step or sample: it is compared with B." }) : second.state === "failed" ? /* @__PURE__ */ (0, import_jsx_runtime31.jsx)(Failure, { store, error: second.error, what: "the second view" }) : second.state === "loading" ? /* @__PURE__ */ (0, import_jsx_runtime31.jsxs)("p", { class: "empty", role: "status", children: [
        "Loading",
        NOT_YET
      ] }) : /* @__PURE__ */ (0, import_jsx_runtime31.jsx)(Compared, { ...props, second: second.value })
    ] });
  }
  function Compared({ second, ...props }) {
    return /* @__PURE__ */ (0, import_jsx_runtime31.jsxs)(import_jsx_runtime31.Fragment, { children: [
      second.open !== null && /* @__PURE__ */ (0, import_jsx_runtime31.jsx)(DifferingTensors, { ...props, second, other: second.open }),
      second.record === void 0 || second.open === null ? /* @__PURE__ */ (0, import_jsx_runtime31.jsx)("p", { class: "empty", "data-testid": "compare-missing", children: second.missing ?? "Nothing was recorded for this tensor in B." }) : /* @__PURE__ */ (0, import_jsx_runtime31.jsx)(ComparedValues, { ...props, second })
    ] });
  }
  function ComparedValues({ second, ...pane }) {
    const { store, shown, open, record } = pane;
    void store.version.value;
    const [sorted2, setSorted] = (0, import_hooks20.useState)(false);
    const other = second.open;
    const otherRecord = second.record;
    const { aggregation, numbers, shape, dtype } = shownValues(pane);
    const otherAggregation = Math.max(0, second.offer?.aggregations.indexOf(second.selection.aggregation) ?? 0);
    const statistics = { a: open.content.numbers.statistics(record, aggregation), b: other.content.numbers.statistics(otherRecord, otherAggregation) };
    const values = { a: numbers, b: other.content.numbers.neurons(otherRecord, otherAggregation) };
    const sameShape = values.a.length === values.b.length;
    const count2 = Math.min(values.a.length, values.b.length);
    const items = record.items.filter((item2) => otherRecord.items.includes(item2));
    const chunks = store.bundle.chunks;
    const loadAll = (numbers2) => numbers2.chunks(0, numbers2.length);
    chunks.request([...loadAll(statistics.a), ...loadAll(statistics.b), ...loadAll(values.a), ...loadAll(values.b)]);
    const version = store.version.value;
    const difference = (0, import_hooks20.useMemo)(() => compare(values.a, values.b), [record, otherRecord, aggregation, otherAggregation, version]);
    const order = (0, import_hooks20.useMemo)(() => sorted2 ? byDifference(values.a, values.b) : void 0, [sorted2, record, otherRecord, aggregation, otherAggregation, version]);
    const renderRow = (row, top) => {
      const item2 = items[row];
      if (item2 !== void 0) {
        const [a, b] = [statistics.a.at(record.items.indexOf(item2)), statistics.b.at(otherRecord.items.indexOf(item2))];
        return /* @__PURE__ */ (0, import_jsx_runtime31.jsx)(Row2, { row, top, item: item2, index: "", a, b, dtype: record.precision }, row);
      }
      const k = order?.[row - items.length] ?? row - items.length;
      return /* @__PURE__ */ (0, import_jsx_runtime31.jsx)(Row2, { row, top, item: "neuron", index: indexText(k, shape), a: values.a.at(k), b: values.b.at(k), dtype }, row);
    };
    return /* @__PURE__ */ (0, import_jsx_runtime31.jsxs)("div", { class: "numbers", children: [
      /* @__PURE__ */ (0, import_jsx_runtime31.jsxs)("div", { class: "compare-summary", children: [
        /* @__PURE__ */ (0, import_jsx_runtime31.jsx)("span", { "data-testid": "difference", children: summaryOf(difference, sameShape, values.a.length, values.b.length, shape) }),
        count2 > 1 && /* @__PURE__ */ (0, import_jsx_runtime31.jsx)("button", { type: "button", "aria-pressed": sorted2, "data-testid": "sort-differences", onClick: () => setSorted(!sorted2), children: "Largest difference first" })
      ] }),
      /* @__PURE__ */ (0, import_jsx_runtime31.jsx)(
        VirtualRows,
        {
          count: items.length + count2,
          rowHeight: ROW_HEIGHT2,
          label: "Values of A and B",
          testId: "compare-table",
          resetKey: `${shown.selection.node}/${shown.selection.role}/${sorted2}`,
          goTo: null,
          header: /* @__PURE__ */ (0, import_jsx_runtime31.jsx)(Header, {}),
          renderRow,
          onRange: () => void 0
        }
      )
    ] });
  }
  function summaryOf(difference, sameShape, ofA, ofB, shape) {
    if (!sameShape) {
      return `A has ${counted(ofA, "value")} and B ${counted(ofB, "value")}, so that only their statistics can be compared element by element.`;
    }
    if (ofA === 0) {
      return "Only statistics were recorded.";
    }
    if (difference === void 0) {
      return `Comparing${NOT_YET}`;
    }
    if (difference.equal === difference.count) {
      return `All ${counted(difference.count, "value")} are equal.`;
    }
    const parts = [`${counted(difference.count - difference.equal, "value")} of ${difference.count} differ`];
    if (difference.at >= 0 && difference.largest > 0) {
      parts.push(`by at most ${brief(difference.largest)} (at ${indexText(difference.at, shape)}), on average ${brief(difference.mean)}`);
    }
    return `${parts.join(" ")}${difference.notFinite > 0 ? `; ${counted(difference.notFinite, "value")} finite in only one of the two` : ""}.`;
  }
  function Header() {
    return /* @__PURE__ */ (0, import_jsx_runtime31.jsxs)("div", { class: "compare-row value-header", role: "row", "aria-rowindex": 1, children: [
      /* @__PURE__ */ (0, import_jsx_runtime31.jsx)("span", { role: "columnheader", children: "Item" }),
      /* @__PURE__ */ (0, import_jsx_runtime31.jsx)("span", { role: "columnheader", children: "Index" }),
      /* @__PURE__ */ (0, import_jsx_runtime31.jsx)("span", { role: "columnheader", class: "number", children: "A" }),
      /* @__PURE__ */ (0, import_jsx_runtime31.jsx)("span", { role: "columnheader", class: "number", children: "B" }),
      /* @__PURE__ */ (0, import_jsx_runtime31.jsxs)("span", { role: "columnheader", class: "number", children: [
        "B ",
        "\u2212",
        " A"
      ] })
    ] });
  }
  function Row2({ row, top, item: item2, index, a, b, dtype }) {
    const difference = a === void 0 || b === void 0 ? void 0 : differenceOf(a, b);
    const text2 = difference === void 0 ? NOT_YET : difference === 0 ? "=" : isIntegerDtype(dtype) ? String(difference) : scientific(difference, dtype);
    return /* @__PURE__ */ (0, import_jsx_runtime31.jsxs)("div", { class: item2 === "neuron" ? "compare-row" : "compare-row statistic", role: "row", "aria-rowindex": row + 2, "data-testid": "compare-row", style: { top: `${top}px` }, children: [
      /* @__PURE__ */ (0, import_jsx_runtime31.jsx)("span", { role: "cell", class: item2 === "neuron" ? "soft" : "", children: item2 }),
      /* @__PURE__ */ (0, import_jsx_runtime31.jsx)("span", { role: "cell", class: "index", children: index }),
      /* @__PURE__ */ (0, import_jsx_runtime31.jsx)("span", { role: "cell", class: "number", children: a === void 0 ? NOT_YET : fixed(a, dtype) }),
      /* @__PURE__ */ (0, import_jsx_runtime31.jsx)("span", { role: "cell", class: "number", children: b === void 0 ? NOT_YET : fixed(b, dtype) }),
      /* @__PURE__ */ (0, import_jsx_runtime31.jsx)("span", { role: "cell", class: difference === 0 ? "number soft" : "number", children: text2 })
    ] });
  }

  // src/views/graph/neighbours.tsx
  var import_hooks21 = __toESM(require_hooks(), 1);
  var import_jsx_runtime32 = __toESM(require_jsx_runtime(), 1);
  var NAMED = 8;
  function NeighbourBar({ store }) {
    const shown = store.shown.value;
    const graph = shown?.open?.graphs[shown.selection.iteration];
    if (shown === null || graph === void 0) {
      return null;
    }
    const { node, role } = shown.selection;
    const { dependencies, dependents } = neighboursOf2(graph, graph.nodes.name.indexOf(node), role);
    return /* @__PURE__ */ (0, import_jsx_runtime32.jsxs)("div", { class: "neighbours", "data-testid": "neighbours", children: [
      /* @__PURE__ */ (0, import_jsx_runtime32.jsx)(NeighbourList, { store, graph, title: "Depends on", testId: "dependencies", members: dependencies }),
      /* @__PURE__ */ (0, import_jsx_runtime32.jsx)(NeighbourList, { store, graph, title: "Needed by", testId: "dependents", members: dependents })
    ] });
  }
  function NeighbourList({ store, graph, title, testId, members }) {
    const [all3, setAll] = (0, import_hooks21.useState)(false);
    const named = all3 ? members : members.slice(0, NAMED);
    return /* @__PURE__ */ (0, import_jsx_runtime32.jsxs)("div", { class: "neighbour-row", children: [
      /* @__PURE__ */ (0, import_jsx_runtime32.jsx)("span", { class: "neighbour-title", id: `title-${testId}`, children: title }),
      /* @__PURE__ */ (0, import_jsx_runtime32.jsxs)("ul", { "aria-labelledby": `title-${testId}`, "data-testid": testId, children: [
        members.length === 0 && /* @__PURE__ */ (0, import_jsx_runtime32.jsx)("li", { class: "soft", children: "nothing" }),
        named.map(({ node, own, carriesGradient }) => {
          const name = graph.nodes.name[node] ?? "";
          const type = graph.nodes.type[node] ?? "calculated";
          return /* @__PURE__ */ (0, import_jsx_runtime32.jsx)("li", { children: /* @__PURE__ */ (0, import_jsx_runtime32.jsxs)("button", { type: "button", class: own ? "chip" : "chip chip-thin", title: titleOf(name, own, carriesGradient), onClick: () => store.selectNode(name), children: [
            /* @__PURE__ */ (0, import_jsx_runtime32.jsx)("span", { class: `legend-badge type-${type}`, "aria-hidden": "true", children: TYPE_LETTERS[type] }),
            /* @__PURE__ */ (0, import_jsx_runtime32.jsx)("span", { class: "chip-text", children: nodeLabel(name) }),
            !carriesGradient && /* @__PURE__ */ (0, import_jsx_runtime32.jsx)("span", { class: "chip-dashes", children: /* @__PURE__ */ (0, import_jsx_runtime32.jsx)("span", { class: "visually-hidden", children: "no gradient" }) })
          ] }) }, node);
        }),
        members.length > NAMED && /* @__PURE__ */ (0, import_jsx_runtime32.jsx)("li", { children: /* @__PURE__ */ (0, import_jsx_runtime32.jsx)("button", { type: "button", class: "link", onClick: () => setAll(!all3), children: all3 ? "fewer" : `${members.length - NAMED} more` }) })
      ] })
    ] });
  }
  function titleOf(name, own, carriesGradient) {
    const remarks = [...own ? [] : ["another role of this node"], ...carriesGradient ? [] : ["no gradient flows"]];
    return remarks.length === 0 ? name : `${name} (${remarks.join("; ")})`;
  }

  // src/views/histogram/histogram.tsx
  var import_hooks24 = __toESM(require_hooks(), 1);

  // src/views/census.ts
  function censusOf(values) {
    const { numbers } = values;
    const ranges2 = values.loaded;
    let [nan, positiveInfinity, negativeInfinity, zeros, finite] = [0, 0, 0, 0, 0];
    let [low, high, sum] = [Infinity, -Infinity, 0];
    for (const [from, to] of ranges2) {
      for (let k = from; k < to; k++) {
        const value = numbers[k];
        if (value - value === 0) {
          finite += 1;
          sum += value;
          low = value < low ? value : low;
          high = value > high ? value : high;
          zeros += value === 0 ? 1 : 0;
        } else if (value > 0) {
          positiveInfinity += 1;
        } else if (value < 0) {
          negativeInfinity += 1;
        } else {
          nan += 1;
        }
      }
    }
    const mean = finite === 0 ? 0 : sum / finite;
    return {
      nan,
      positiveInfinity,
      negativeInfinity,
      zeros,
      finite,
      low: finite === 0 ? 0 : low,
      high: finite === 0 ? 0 : high,
      mean,
      std: finite < 2 ? 0 : Math.sqrt(squares(numbers, ranges2, mean) / (finite - 1))
    };
  }
  function squares(numbers, ranges2, mean) {
    let sum = 0;
    for (const [from, to] of ranges2) {
      for (let k = from; k < to; k++) {
        const difference = numbers[k] - mean;
        sum += difference - difference === 0 ? difference * difference : 0;
      }
    }
    return sum;
  }

  // src/views/use_gathered.ts
  var import_hooks22 = __toESM(require_hooks(), 1);

  // src/data/gathered.ts
  var WIDE = /* @__PURE__ */ new Set(["F64", "I64", "I32", "U64", "U32"]);
  var AS_THEY_ARE = /* @__PURE__ */ new Set(["F32", "F64"]);
  var GatheredValues = class {
    constructor(source, start2 = 0, end = source.length) {
      this.start = start2;
      const { width, read } = elementType(source.dtype);
      this.dtype = source.dtype;
      this.length = end - start2;
      this.bytes = new Uint8Array(this.length * width);
      this.view = new DataView(this.bytes.buffer);
      this.numbers = numbersIn(this.dtype, this.bytes.buffer, this.length);
      this.parts = source.parts(start2, end);
      this.missing = new Set(this.parts.keys());
      this.width = width;
      this.read = read;
    }
    start;
    dtype;
    length;
    /** As stored, little-endian. */
    bytes;
    /** To calculate with; exact but for integers of 64 bits. */
    numbers;
    parts;
    missing;
    view;
    width;
    read;
    /** Copies what has been loaded meanwhile; says whether there was something. */
    gather() {
      let found = false;
      for (const number2 of this.missing) {
        const part = this.parts[number2];
        const bytes = part.bytes();
        if (bytes !== void 0) {
          this.bytes.set(bytes, (part.start - this.start) * this.width);
          this.convert(part.start - this.start, part.end - this.start);
          this.missing.delete(number2);
          found = true;
        }
      }
      return found;
    }
    /** The chunks that have not been copied yet. */
    get missingChunks() {
      return [...this.missing].map((number2) => this.parts[number2].chunk);
    }
    get complete() {
      return this.missing.size === 0;
    }
    /** How many parts there are, and how many of them are here. */
    get progress() {
      return { loaded: this.parts.length - this.missing.size, total: this.parts.length };
    }
    /** Which values are not here yet, as pairs of the first and the one behind the last. */
    get gaps() {
      return this.ranges((number2) => this.missing.has(number2));
    }
    /** Which values are here. */
    get loaded() {
      return this.ranges((number2) => !this.missing.has(number2));
    }
    ranges(which) {
      return this.parts.filter((_, number2) => which(number2)).map((part) => [part.start - this.start, part.end - this.start]);
    }
    /** Value `k`, exactly as recorded; undefined while it is not here. */
    at(k) {
      if (k < 0 || k >= this.length || !this.complete && this.gaps.some(([from, to]) => k >= from && k < to)) {
        return void 0;
      }
      return this.read(this.view, k * this.width);
    }
    convert(from, to) {
      if (AS_THEY_ARE.has(this.dtype)) {
        return;
      }
      const { numbers, view, width, read } = this;
      if (width === 2 && (this.dtype === "F16" || this.dtype === "BF16")) {
        const table = halfTable(this.dtype);
        for (let k = from; k < to; k++) {
          numbers[k] = table[view.getUint16(k * 2, true)];
        }
        return;
      }
      for (let k = from; k < to; k++) {
        numbers[k] = Number(read(view, k * width));
      }
    }
  };
  function numbersIn(dtype, bytes, length) {
    if (AS_THEY_ARE.has(dtype)) {
      return dtype === "F32" ? new Float32Array(bytes) : new Float64Array(bytes);
    }
    return WIDE.has(dtype) ? new Float64Array(length) : new Float32Array(length);
  }
  var HALF_TABLES = /* @__PURE__ */ new Map();
  function halfTable(dtype) {
    let table = HALF_TABLES.get(dtype);
    if (table === void 0) {
      const read = dtype === "F16" ? halfToNumber : bfloatToNumber;
      table = Float32Array.from({ length: 65536 }, (_, bits) => read(bits));
      HALF_TABLES.set(dtype, table);
    }
    return table;
  }

  // src/views/use_gathered.ts
  function useGathered({ store, open, record }, aggregation, start2, end, wanted = true) {
    void store.version.value;
    const values = (0, import_hooks22.useMemo)(
      () => wanted ? gatheredOrNull(() => new GatheredValues(open.content.numbers.neurons(record, aggregation), start2, end)) : null,
      [open.content, record, aggregation, start2, end, wanted]
    );
    return values === null ? null : gatherNow(store, values);
  }
  function gatheredOrNull(make) {
    try {
      return make();
    } catch (error) {
      if (error instanceof RangeError) {
        return null;
      }
      throw error;
    }
  }
  function gatherNow(store, values) {
    const { chunks } = store.bundle;
    values.gather();
    const missing = values.missingChunks;
    chunks.request(missing);
    const error = missing.map((id) => chunks.failure(id)).find((found) => found !== void 0);
    return { values, error, state: `${values.progress.loaded}` };
  }
  async function gatherAll(store, values) {
    for (; ; ) {
      const { error } = gatherNow(store, values);
      if (values.complete) {
        return;
      }
      if (error !== void 0) {
        throw error;
      }
      await nextVersion(store);
    }
  }
  function nextVersion(store) {
    return new Promise((resolve2) => {
      const before = store.version.peek();
      const stop = store.version.subscribe((version) => {
        if (version !== before) {
          queueMicrotask(() => stop());
          resolve2();
        }
      });
    });
  }

  // src/views/use_size.ts
  var import_hooks23 = __toESM(require_hooks(), 1);
  function useSize() {
    const element = (0, import_hooks23.useRef)(null);
    const [size, setSize] = (0, import_hooks23.useState)({ width: 0, height: 0 });
    (0, import_hooks23.useLayoutEffect)(() => {
      const { current } = element;
      if (current === null) {
        return void 0;
      }
      const measure = () => setSize((before) => before.width === current.clientWidth && before.height === current.clientHeight ? before : { width: current.clientWidth, height: current.clientHeight });
      const observer = new ResizeObserver(measure);
      observer.observe(current);
      measure();
      return () => observer.disconnect();
    }, []);
    return [element, size];
  }

  // src/views/picture/colors.ts
  var SCALES2 = ["diverging", "sequential", "log"];
  var LINEAR_PART = 1e-3;
  var COLORS = 256;
  var DIVERGING_ON_LIGHT = [
    [5, 48, 97],
    [33, 102, 172],
    [67, 147, 195],
    [146, 197, 222],
    [209, 229, 240],
    [247, 247, 247],
    [253, 219, 199],
    [244, 165, 130],
    [214, 96, 77],
    [178, 24, 43],
    [103, 0, 31]
  ];
  var DIVERGING_ON_DARK = [
    [190, 220, 255],
    [126, 184, 247],
    [66, 140, 214],
    [42, 92, 148],
    [34, 58, 86],
    [38, 42, 48],
    [92, 52, 34],
    [156, 76, 32],
    [218, 118, 46],
    [250, 172, 104],
    [255, 222, 186]
  ];
  function fittingScale({ low, high }) {
    return low < 0 && high > 0 ? "diverging" : "sequential";
  }
  function readScale(text2) {
    return SCALES2.find((scale) => scale === text2) ?? null;
  }
  function placeOnScale(scale, { low, high }) {
    if (scale === "sequential") {
      const range = high - low;
      return range > 0 ? (value) => (value - low) / range : () => 0.5;
    }
    const limit = Math.max(Math.abs(low), Math.abs(high));
    if (!(limit > 0)) {
      return () => 0.5;
    }
    if (scale === "diverging") {
      return (value) => 0.5 + value / limit / 2;
    }
    const full = 2 * Math.log1p(1 / LINEAR_PART);
    return (value) => 0.5 + Math.sign(value) * Math.log1p(Math.abs(value) / limit / LINEAR_PART) / full;
  }
  function valueOnScale(scale, { low, high }, place2) {
    if (scale === "sequential") {
      return low + place2 * (high - low);
    }
    const limit = Math.max(Math.abs(low), Math.abs(high));
    const side2 = 2 * place2 - 1;
    return scale === "diverging" ? side2 * limit : Math.sign(side2) * limit * LINEAR_PART * Math.expm1(Math.abs(side2) * Math.log1p(1 / LINEAR_PART));
  }
  function colorsOf(scale, dark) {
    const stops = scale === "sequential" ? VIRIDIS : dark ? DIVERGING_ON_DARK : DIVERGING_ON_LIGHT;
    return Uint32Array.from({ length: COLORS }, (_, k) => pixel(between(stops, k / (COLORS - 1))));
  }
  function colorNumber(place2) {
    return Math.max(0, Math.min(COLORS - 1, Math.round(place2 * (COLORS - 1))));
  }
  function between(stops, place2) {
    const at = place2 * (stops.length - 1);
    const k = Math.min(stops.length - 2, Math.floor(at));
    const channel = (c) => Math.round(stops[k][c] + (stops[k + 1][c] - stops[k][c]) * (at - k));
    return [channel(0), channel(1), channel(2)];
  }
  function pixel([red, green, blue]) {
    return (255 << 24 | blue << 16 | green << 8 | red) >>> 0;
  }
  function isLight2(color) {
    return (color & 255) * 0.299 + (color >> 8 & 255) * 0.587 + (color >> 16 & 255) * 0.114 > 140;
  }
  function cssColor(color) {
    return `rgb(${color & 255}, ${color >> 8 & 255}, ${color >> 16 & 255})`;
  }

  // src/views/histogram/bins.ts
  var MOST_BINS = 64;
  var FEWEST_BINS = 8;
  function histogramOf(values, ranges2, extent, logarithmic, dtype) {
    const total = ranges2.reduce((sum, [from, to]) => sum + to - from, 0);
    const whole = !logarithmic && isIntegerDtype(dtype) && extent.high - extent.low < MOST_BINS;
    const bins = whole ? extent.high - extent.low + 1 : Math.max(FEWEST_BINS, Math.min(MOST_BINS, Math.ceil(Math.sqrt(total))));
    const { place: place2, edge } = whole ? wholeBins(extent) : logarithmic ? logarithmicBins(extent, bins) : straightBins(extent, bins);
    const counts = new Float64Array(bins);
    for (const [from, to] of ranges2) {
      for (let k = from; k < to; k++) {
        const value = values[k];
        if (value - value === 0) {
          const bin = Math.floor(place2(value));
          counts[bin < 0 ? 0 : bin >= bins ? bins - 1 : bin] += 1;
        }
      }
    }
    return { edges: Float64Array.from({ length: bins + 1 }, (_, k) => edge(k)), counts, whole };
  }
  function wholeBins({ low }) {
    return { place: (value) => value - low, edge: (bin) => low + bin };
  }
  function straightBins({ low, high }, bins) {
    const margin = high > low ? 0 : Math.abs(low) / 2 || 0.5;
    const [first, range] = [low - margin, high - low + 2 * margin];
    return { place: (value) => (value - first) / range * bins, edge: (bin) => bin === bins ? first + range : first + range * bin / bins };
  }
  function logarithmicBins(extent, bins) {
    const onScale = placeOnScale("log", extent);
    const [first, last] = extent.high > extent.low ? [onScale(extent.low), onScale(extent.high)] : [0, 1];
    return {
      place: (value) => (onScale(value) - first) / (last - first) * bins,
      edge: (bin) => valueOnScale("log", extent, first + (last - first) * bin / bins)
    };
  }
  function placeAmong(edges, value) {
    const last = edges.length - 1;
    let bin = 0;
    while (bin < last - 1 && value >= edges[bin + 1]) {
      bin += 1;
    }
    const width = edges[bin + 1] - edges[bin];
    const inside = width > 0 ? (value - edges[bin]) / width : 0.5;
    return Math.max(0, Math.min(1, (bin + Math.max(0, Math.min(1, inside))) / last));
  }

  // src/views/histogram/histogram.tsx
  var import_jsx_runtime33 = __toESM(require_jsx_runtime(), 1);
  var MARGIN = { left: 64, right: 12, top: 18, bottom: 24 };
  function HistogramView(pane) {
    const { store, open, record } = pane;
    void store.version.value;
    const shown = shownValues(pane);
    const count2 = shown.numbers.length;
    const wanted = shown.absent === null && count2 <= LARGEST_PICTURE;
    const gathering = useGathered(pane, shown.aggregation, 0, count2, wanted);
    const logarithmic = store.view.value.get("scale") === "log";
    const { values, state } = gathering ?? {};
    const complete = values?.complete ?? false;
    const census = (0, import_hooks24.useMemo)(() => values !== void 0 && complete ? censusOf(values) : null, [values, complete]);
    const histogram = (0, import_hooks24.useMemo)(
      () => values === void 0 || census === null ? null : histogramOf(values.numbers, values.loaded, census, logarithmic, shown.dtype),
      [values, census, logarithmic, shown.dtype]
    );
    store.bundle.chunks.request(open.content.numbers.overviewChunks(record, shown.aggregation));
    if (gathering?.error !== void 0) {
      return /* @__PURE__ */ (0, import_jsx_runtime33.jsx)(Failure, { store, error: gathering.error, what: "the values" });
    }
    if (shown.absent !== null || values === void 0) {
      return /* @__PURE__ */ (0, import_jsx_runtime33.jsxs)("p", { class: "empty", "data-testid": "histogram-empty", children: [
        shown.absent === null ? `${grouped(count2)} values are too many for a histogram` : `${shown.absent}: there is no histogram of it`,
        "."
      ] });
    }
    if (census === null || histogram === null) {
      return /* @__PURE__ */ (0, import_jsx_runtime33.jsxs)("p", { class: "empty", role: "status", "data-state": state, children: [
        "Loading: ",
        values.progress.loaded,
        " of ",
        counted(values.progress.total, "part")
      ] });
    }
    return /* @__PURE__ */ (0, import_jsx_runtime33.jsxs)("div", { class: "histogram-pane", children: [
      /* @__PURE__ */ (0, import_jsx_runtime33.jsxs)("div", { class: "picture-bar", children: [
        /* @__PURE__ */ (0, import_jsx_runtime33.jsx)("button", { type: "button", "aria-pressed": logarithmic, "data-testid": "histogram-log", onClick: () => store.setView("scale", logarithmic ? null : "log"), children: "Symmetric logarithm" }),
        /* @__PURE__ */ (0, import_jsx_runtime33.jsxs)("span", { class: "soft", children: [
          counted(count2, "value"),
          ", ",
          counted(census.finite, "of them finite", "of them finite")
        ] })
      ] }),
      /* @__PURE__ */ (0, import_jsx_runtime33.jsx)(Chart2, { histogram, census }),
      /* @__PURE__ */ (0, import_jsx_runtime33.jsx)(Counts, { census, facts: record.hasBatch ? open.content.numbers.facts(record) : null }),
      /* @__PURE__ */ (0, import_jsx_runtime33.jsx)(BinTable, { histogram })
    ] });
  }
  function Chart2({ histogram, census }) {
    const [frame, size] = useSize();
    const canvas = (0, import_hooks24.useRef)(null);
    const [bin, setBin] = (0, import_hooks24.useState)(-1);
    const dark = isDark.value;
    const bins = histogram.counts.length;
    (0, import_hooks24.useLayoutEffect)(() => setBin(-1), [histogram]);
    (0, import_hooks24.useLayoutEffect)(() => {
      if (canvas.current !== null && size.width > 0) {
        drawHistogram(canvas.current, size, histogram, census, bin);
      }
    }, [histogram, census, size, bin, dark]);
    const onPointerMove = (event) => {
      const { left } = canvas.current.getBoundingClientRect();
      const place2 = (event.clientX - left - MARGIN.left) / (size.width - MARGIN.left - MARGIN.right);
      setBin(place2 < 0 || place2 >= 1 ? -1 : Math.floor(place2 * bins));
    };
    const onKeyDown = (event) => {
      const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (step !== void 0) {
        event.preventDefault();
        setBin(bin < 0 ? 0 : Math.max(0, Math.min(bins - 1, bin + step)));
      }
    };
    return /* @__PURE__ */ (0, import_jsx_runtime33.jsxs)(import_jsx_runtime33.Fragment, { children: [
      /* @__PURE__ */ (0, import_jsx_runtime33.jsx)("div", { ref: frame, class: "histogram-frame", tabIndex: 0, role: "group", "aria-label": "Histogram; arrow keys go from bin to bin", "data-arrow-keys": true, "data-testid": "histogram", onPointerMove, onPointerLeave: () => setBin(-1), onKeyDown, children: /* @__PURE__ */ (0, import_jsx_runtime33.jsx)("canvas", { ref: canvas, role: "img", "aria-label": `Histogram of ${counted(census.finite, "finite value")} from ${brief(census.low)} to ${brief(census.high)}, mean ${brief(census.mean)}, standard deviation ${brief(census.std)}` }) }),
      /* @__PURE__ */ (0, import_jsx_runtime33.jsx)("output", { class: "readout", "aria-live": "polite", "data-testid": "histogram-readout", children: bin < 0 || bin >= bins ? /* @__PURE__ */ (0, import_jsx_runtime33.jsxs)("span", { class: "soft", children: [
        "Mean ",
        brief(census.mean),
        ", standard deviation ",
        brief(census.std),
        " of the finite values; point at a bar for its count"
      ] }) : /* @__PURE__ */ (0, import_jsx_runtime33.jsxs)(import_jsx_runtime33.Fragment, { children: [
        binText(histogram, bin),
        ": ",
        /* @__PURE__ */ (0, import_jsx_runtime33.jsx)("strong", { children: counted(histogram.counts[bin], "value") })
      ] }) })
    ] });
  }
  function binText({ edges, counts, whole }, bin) {
    return whole ? brief(edges[bin]) : `${brief(edges[bin])} to ${brief(edges[bin + 1])}${bin === counts.length - 1 ? ", included" : ""}`;
  }
  function drawHistogram(canvas, size, { edges, counts, whole }, census, chosen) {
    const ratio = window.devicePixelRatio || 1;
    canvas.width = Math.round(size.width * ratio);
    canvas.height = Math.round(size.height * ratio);
    const context = canvas.getContext("2d");
    if (context === null) {
      return;
    }
    context.scale(ratio, ratio);
    const [width, height] = [size.width - MARGIN.left - MARGIN.right, size.height - MARGIN.top - MARGIN.bottom];
    const bottom = MARGIN.top + height;
    const most = Math.max(1, ...counts);
    const step = width / counts.length;
    counts.forEach((count2, bin) => {
      const bar = count2 === 0 ? 0 : Math.max(1.5, count2 / most * height);
      context.fillStyle = themeColor(bin === chosen ? "curve-1" : "curve-0");
      context.fillRect(MARGIN.left + bin * step + 0.5, bottom - bar, Math.max(1, step - 1), bar);
    });
    context.font = "12px system-ui, sans-serif";
    context.fillStyle = themeColor("text-soft");
    context.strokeStyle = themeColor("control-line");
    context.beginPath();
    context.moveTo(MARGIN.left, bottom + 0.5);
    context.lineTo(MARGIN.left + width, bottom + 0.5);
    context.stroke();
    context.textAlign = "right";
    context.fillText(grouped(most), MARGIN.left - 6, MARGIN.top + 9);
    context.fillText("0", MARGIN.left - 6, bottom);
    context.textAlign = "center";
    const labels = Math.max(2, Math.min(6, Math.floor(width / 90)));
    for (let label = 0; label < labels; label++) {
      const edge = Math.round(label / (labels - 1) * (whole ? counts.length - 1 : counts.length));
      const x = MARGIN.left + (edge + (whole ? 0.5 : 0)) * step;
      context.textAlign = label === 0 && !whole ? "left" : label === labels - 1 && !whole ? "right" : "center";
      context.fillText(brief(edges[edge]), x, bottom + 16);
    }
    if (census.finite > 0) {
      const at = (value) => MARGIN.left + placeAmong(edges, value + (whole ? 0.5 : 0)) * width;
      drawSpread(context, at, census);
    }
  }
  function drawSpread(context, at, { mean, std }) {
    const y = MARGIN.top / 2;
    context.strokeStyle = context.fillStyle = themeColor("text");
    context.lineWidth = 1.5;
    context.beginPath();
    context.moveTo(at(mean - std), y);
    context.lineTo(at(mean + std), y);
    for (const end of [mean - std, mean + std]) {
      context.moveTo(at(end), y - 4);
      context.lineTo(at(end), y + 4);
    }
    context.stroke();
    context.beginPath();
    context.arc(at(mean), y, 3.5, 0, 2 * Math.PI);
    context.fill();
  }
  function Counts({ census, facts }) {
    const kinds = [
      ["NaN", census.nan, facts?.nan],
      ["+inf", census.positiveInfinity, facts?.positiveInfinity],
      ["\u2212inf", census.negativeInfinity, facts?.negativeInfinity],
      ["zeros", census.zeros, facts?.zeros]
    ];
    return /* @__PURE__ */ (0, import_jsx_runtime33.jsx)(TableFrame, { name: "What is special among the values", children: /* @__PURE__ */ (0, import_jsx_runtime33.jsxs)("table", { class: "counts", "data-testid": "histogram-counts", children: [
      /* @__PURE__ */ (0, import_jsx_runtime33.jsx)("thead", { children: /* @__PURE__ */ (0, import_jsx_runtime33.jsxs)("tr", { children: [
        /* @__PURE__ */ (0, import_jsx_runtime33.jsx)("th", { scope: "col", children: "Exactly" }),
        kinds.map(([name]) => /* @__PURE__ */ (0, import_jsx_runtime33.jsx)("th", { scope: "col", class: "number", children: name }, name))
      ] }) }),
      /* @__PURE__ */ (0, import_jsx_runtime33.jsxs)("tbody", { children: [
        /* @__PURE__ */ (0, import_jsx_runtime33.jsxs)("tr", { children: [
          /* @__PURE__ */ (0, import_jsx_runtime33.jsx)("th", { scope: "row", children: "here" }),
          kinds.map(([name, here]) => /* @__PURE__ */ (0, import_jsx_runtime33.jsx)("td", { class: "number", children: grouped(here) }, name))
        ] }),
        facts !== null && /* @__PURE__ */ (0, import_jsx_runtime33.jsxs)("tr", { children: [
          /* @__PURE__ */ (0, import_jsx_runtime33.jsx)("th", { scope: "row", children: "in the whole batch" }),
          kinds.map(([name, , whole]) => /* @__PURE__ */ (0, import_jsx_runtime33.jsx)("td", { class: "number", children: whole === void 0 ? "\u2026" : grouped(whole) }, name))
        ] })
      ] })
    ] }) });
  }
  function BinTable({ histogram }) {
    return /* @__PURE__ */ (0, import_jsx_runtime33.jsxs)("details", { class: "bin-table", children: [
      /* @__PURE__ */ (0, import_jsx_runtime33.jsx)("summary", { children: "The bins as a table" }),
      /* @__PURE__ */ (0, import_jsx_runtime33.jsx)(TableFrame, { name: "Bins of the histogram", children: /* @__PURE__ */ (0, import_jsx_runtime33.jsxs)("table", { "data-testid": "histogram-bins", children: [
        /* @__PURE__ */ (0, import_jsx_runtime33.jsx)("thead", { children: /* @__PURE__ */ (0, import_jsx_runtime33.jsxs)("tr", { children: [
          /* @__PURE__ */ (0, import_jsx_runtime33.jsx)("th", { scope: "col", children: "Values" }),
          /* @__PURE__ */ (0, import_jsx_runtime33.jsx)("th", { scope: "col", class: "number", children: "Count" })
        ] }) }),
        /* @__PURE__ */ (0, import_jsx_runtime33.jsx)("tbody", { children: Array.from(histogram.counts, (count2, bin) => /* @__PURE__ */ (0, import_jsx_runtime33.jsxs)("tr", { children: [
          /* @__PURE__ */ (0, import_jsx_runtime33.jsx)("td", { children: binText(histogram, bin) }),
          /* @__PURE__ */ (0, import_jsx_runtime33.jsx)("td", { class: "number", children: grouped(count2) })
        ] }, bin)) })
      ] }) })
    ] });
  }

  // src/views/picture/picture.tsx
  var import_hooks29 = __toESM(require_hooks(), 1);

  // src/views/picture/board_view.tsx
  var import_hooks25 = __toESM(require_hooks(), 1);

  // src/views/picture/paint.ts
  var STRIPE = 3;
  function paint2(pixels, board, values, gaps, placing, ink) {
    const { width, height, data: data2 } = pixels;
    const columns = ranges(width, placing.x, placing.cellWidth, board.columns);
    const rows = ranges(height, placing.y, placing.cellHeight, board.rows);
    const { rowBase, columnBase, count: count2 } = board;
    const isWaiting = gaps.length === 0 ? null : (k) => gaps.some(([from, to]) => k >= from && k < to);
    for (let y = 0; y < height; y++) {
      const [firstRow, endRow] = [rows[2 * y], rows[2 * y + 1]];
      for (let x = 0; x < width; x++) {
        const endColumn = columns[2 * x + 1];
        let found = false;
        let waiting = false;
        let value = 0;
        for (let row = firstRow; row < endRow; row++) {
          const down = rowBase[row];
          for (let column2 = columns[2 * x]; down >= 0 && column2 < endColumn; column2++) {
            const k = down + columnBase[column2];
            if (columnBase[column2] < 0 || k >= count2) {
              continue;
            }
            if (isWaiting?.(k)) {
              waiting = true;
              continue;
            }
            const candidate = values[k];
            if (!found || candidate !== candidate || Math.abs(candidate) > Math.abs(value)) {
              value = candidate;
              found = true;
            }
          }
        }
        data2[y * width + x] = found ? pixelOf(value, x, y, ink) : waiting ? waitingPixel(x, y, ink) : ink.background;
      }
    }
  }
  function ranges(length, corner2, cell, cells) {
    const pairs = new Int32Array(2 * length);
    for (let k = 0; k < length; k++) {
      const first = Math.floor((k + 0.5 - corner2) / cell);
      const [from, to] = cell >= 1 ? [first, first + 1] : [Math.floor((k - corner2) / cell), Math.floor((k + 1 - corner2) / cell)];
      pairs[2 * k] = Math.max(0, Math.min(cells, from));
      pairs[2 * k + 1] = Math.max(0, Math.min(cells, Math.max(to, from + 1)));
    }
    return pairs;
  }
  function pixelOf(value, x, y, ink) {
    if (value - value === 0) {
      return ink.colors[colorNumber(ink.place(value))];
    }
    return isStripe(value, x, y) ? ink.dark : ink.light;
  }
  function isStripe(value, x, y) {
    const rising = Math.floor((x + y) / STRIPE) % 2 === 0;
    if (value === Infinity) {
      return rising;
    }
    const falling = Math.floor((x - y + 3e3 * STRIPE) / STRIPE) % 2 === 0;
    return value === -Infinity ? falling : rising !== falling;
  }
  function waitingPixel(x, y, ink) {
    return x % 6 < 2 && y % 6 < 2 ? ink.waiting : ink.background;
  }

  // src/views/picture/draw.ts
  var TRANSPARENT = 0;
  var WRITTEN = { width: 46, height: 16 };
  var FONT2 = "11px system-ui, sans-serif";
  var SMALLEST_BORDERED = 24;
  function inkOf({ scale, extent }, dark) {
    return {
      colors: colorsOf(scale, dark),
      place: placeOnScale(scale, extent),
      background: TRANSPARENT,
      dark: pixel([0, 0, 0]),
      light: pixel([255, 255, 255]),
      waiting: themePixel("control-line")
    };
  }
  function themePixel(name) {
    const number2 = parseInt(themeColor(name).slice(1), 16);
    return pixel([number2 >> 16 & 255, number2 >> 8 & 255, number2 & 255]);
  }
  function drawBoard(canvas, size, board, values, placing, ink) {
    const ratio = window.devicePixelRatio || 1;
    const [width, height] = [Math.max(1, Math.round(size.width * ratio)), Math.max(1, Math.round(size.height * ratio))];
    if (canvas.width !== width || canvas.height !== height) {
      canvas.width = width;
      canvas.height = height;
    }
    const context = canvas.getContext("2d");
    if (context === null) {
      return;
    }
    const image = context.createImageData(width, height);
    const fine = { x: placing.x * ratio, y: placing.y * ratio, cellWidth: placing.cellWidth * ratio, cellHeight: placing.cellHeight * ratio };
    paint2({ width, height, data: new Uint32Array(image.data.buffer) }, board, values.numbers, values.gaps, fine, ink);
    context.putImageData(image, 0, 0);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    drawBorders(context, board, placing);
    if (placing.cellWidth >= WRITTEN.width && placing.cellHeight >= WRITTEN.height) {
      writeValues(context, size, board, values, placing, ink);
    }
  }
  function drawBorders(context, board, placing) {
    const slice = board.tileRows * board.tileColumns;
    const isSmall = board.tiles > 1 && Math.min(board.tileColumns * placing.cellWidth, board.tileRows * placing.cellHeight) < SMALLEST_BORDERED;
    if (isSmall || slice === 0) {
      return;
    }
    context.strokeStyle = themeColor("control-line");
    context.lineWidth = 1;
    for (let tile = 0; tile < board.tiles; tile++) {
      const { row, column: column2 } = cellOf(board, tile * slice);
      context.strokeRect(placing.x + column2 * placing.cellWidth, placing.y + row * placing.cellHeight, board.tileColumns * placing.cellWidth, board.tileRows * placing.cellHeight);
    }
  }
  function writeValues(context, size, board, values, placing, ink) {
    const { x, y, cellWidth, cellHeight } = placing;
    const [firstRow, lastRow] = [Math.max(0, Math.floor(-y / cellHeight)), Math.min(board.rows, Math.ceil((size.height - y) / cellHeight))];
    const [firstColumn, lastColumn] = [Math.max(0, Math.floor(-x / cellWidth)), Math.min(board.columns, Math.ceil((size.width - x) / cellWidth))];
    context.font = FONT2;
    context.textAlign = "center";
    context.textBaseline = "middle";
    for (let row = firstRow; row < lastRow; row++) {
      for (let column2 = firstColumn; column2 < lastColumn; column2++) {
        const k = valueAt2(board, row, column2);
        const value = k < 0 ? void 0 : values.at(k);
        if (value !== void 0) {
          writeValue(context, Number(value), x + (column2 + 0.5) * cellWidth, y + (row + 0.5) * cellHeight, cellWidth, ink);
        }
      }
    }
  }
  function writeValue(context, value, x, y, width, ink) {
    const text2 = brief(value);
    if (Number.isFinite(value)) {
      context.fillStyle = isLight2(ink.colors[colorNumber(ink.place(value))]) ? "#000000" : "#ffffff";
    } else {
      const plate = context.measureText(text2).width + 6;
      context.fillStyle = cssColor(ink.light);
      context.fillRect(x - plate / 2, y - 8, plate, 16);
      context.fillStyle = cssColor(ink.dark);
    }
    context.fillText(text2, x, y, width - 4);
  }
  function drawCursor(canvas, board, k, placing) {
    const context = canvas.getContext("2d");
    if (context === null) {
      return;
    }
    const { row, column: column2 } = cellOf(board, k);
    const [width, height] = [Math.max(5, placing.cellWidth), Math.max(5, placing.cellHeight)];
    const [x, y] = [placing.x + (column2 + 0.5) * placing.cellWidth - width / 2, placing.y + (row + 0.5) * placing.cellHeight - height / 2];
    for (const [color, line, out] of [["#ffffff", 3, 1.5], ["#000000", 1.5, 1.5]]) {
      context.strokeStyle = color;
      context.lineWidth = line;
      context.strokeRect(x - out, y - out, width + 2 * out, height + 2 * out);
    }
  }

  // src/views/picture/viewport.ts
  var LARGEST_FITTED_CELL = 56;
  var LARGEST_CELL = 84;
  var THINNEST = 48;
  var LARGEST_STRETCHED_CELL = 16;
  var ZOOM_STEP2 = 1.5;
  var WHOLE = { zoom: 1, column: 0.5, row: 0.5 };
  function fittedCell({ rows, columns }, { width, height }) {
    const [widest, highest2] = [width / Math.max(1, columns), height / Math.max(1, rows)];
    const side2 = Math.min(widest, highest2, LARGEST_FITTED_CELL);
    const stretch = (most, cells) => Math.max(side2, Math.min(most, THINNEST / Math.max(1, cells), LARGEST_STRETCHED_CELL));
    return { width: stretch(widest, columns), height: stretch(highest2, rows) };
  }
  function placingOf(viewport, cells, size) {
    const fitted2 = fittedCell(cells, size);
    const [cellWidth, cellHeight] = [fitted2.width * viewport.zoom, fitted2.height * viewport.zoom];
    const [width, height] = [cellWidth * cells.columns, cellHeight * cells.rows];
    return { x: corner(viewport.column, width, size.width), y: corner(viewport.row, height, size.height), cellWidth, cellHeight };
  }
  function corner(middle2, length, room) {
    return length <= room ? 0 : Math.min(0, Math.max(room - length, room / 2 - middle2 * length));
  }
  function zoomed(viewport, factor, x, y, cells, size) {
    const fitted2 = fittedCell(cells, size);
    const largest = Math.max(1, LARGEST_CELL / Math.min(fitted2.width, fitted2.height));
    const zoom = Math.max(1, Math.min(largest, viewport.zoom * factor));
    const before = placingOf(viewport, cells, size);
    const [column2, row] = [(x - before.x) / before.cellWidth, (y - before.y) / before.cellHeight];
    return middle(zoom, x - column2 * fitted2.width * zoom, y - row * fitted2.height * zoom, fitted2, cells, size);
  }
  function moved(viewport, dx, dy, cells, size) {
    const { x, y } = placingOf(viewport, cells, size);
    return middle(viewport.zoom, x + dx, y + dy, fittedCell(cells, size), cells, size);
  }
  function withCell(viewport, row, column2, cells, size) {
    const { x, y, cellWidth, cellHeight } = placingOf(viewport, cells, size);
    const [left, top] = [x + column2 * cellWidth, y + row * cellHeight];
    const into = (place2, length, room) => place2 < 0 ? -place2 : Math.min(0, room - place2 - length);
    return moved(viewport, into(left, cellWidth, size.width), into(top, cellHeight, size.height), cells, size);
  }
  function middle(zoom, x, y, fitted2, cells, size) {
    const part = (corner2, length, room) => length <= room ? 0.5 : Math.max(room / 2 / length, Math.min(1 - room / 2 / length, (room / 2 - corner2) / length));
    return {
      zoom,
      column: part(x, fitted2.width * zoom * cells.columns, size.width),
      row: part(y, fitted2.height * zoom * cells.rows, size.height)
    };
  }

  // src/views/picture/board_view.tsx
  var import_jsx_runtime34 = __toESM(require_jsx_runtime(), 1);
  var KEYS3 = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
  var LEAST_HEIGHT = 94;
  var STILL = 4;
  function BoardView({ board, values, state, coloring, size, frame, label, cursor, onCursor, onHover }) {
    const canvas = (0, import_hooks25.useRef)(null);
    const [viewport, setViewport] = (0, import_hooks25.useState)(WHOLE);
    const drag = (0, import_hooks25.useRef)(null);
    const dark = isDark.value;
    const ink = (0, import_hooks25.useMemo)(() => inkOf(coloring, dark), [coloring.scale, coloring.extent.low, coloring.extent.high, dark]);
    const placing = placingOf(viewport, board, size);
    (0, import_hooks25.useLayoutEffect)(() => setViewport(WHOLE), [board.rows, board.columns]);
    (0, import_hooks25.useLayoutEffect)(() => {
      if (cursor >= 0) {
        const { row, column: column2 } = cellOf(board, cursor);
        setViewport((before) => withCell(before, row, column2, board, size));
      }
    }, [cursor]);
    (0, import_hooks25.useLayoutEffect)(() => {
      if (canvas.current !== null && size.width > 0) {
        drawBoard(canvas.current, size, board, values, placing, ink);
        if (cursor >= 0 && cursor < board.count) {
          drawCursor(canvas.current, board, cursor, placing);
        }
      }
    }, [board, values, state, ink, viewport, size.width, size.height, cursor]);
    const zoomBy = (factor, x = size.width / 2, y = size.height / 2) => setViewport((before) => zoomed(before, factor, x, y, board, size));
    const latest = (0, import_hooks25.useRef)({ zoomBy, zoom: viewport.zoom });
    latest.current = { zoomBy, zoom: viewport.zoom };
    (0, import_hooks25.useEffect)(() => {
      const element = frame.current;
      const onWheel = (event) => {
        if (event.deltaY !== 0 && (event.deltaY < 0 || latest.current.zoom > 1)) {
          event.preventDefault();
          const { left, top } = canvas.current.getBoundingClientRect();
          latest.current.zoomBy(2 ** (-event.deltaY / 300), event.clientX - left, event.clientY - top);
        }
      };
      element?.addEventListener("wheel", onWheel, { passive: false });
      return () => element?.removeEventListener("wheel", onWheel);
    }, []);
    const valueUnder = (event) => {
      const { left, top } = canvas.current.getBoundingClientRect();
      return valueAt2(board, Math.floor((event.clientY - top - placing.y) / placing.cellHeight), Math.floor((event.clientX - left - placing.x) / placing.cellWidth));
    };
    const onPointerMove = (event) => {
      const from = drag.current;
      if (from === null) {
        onHover(valueUnder(event));
      } else if (from.far || Math.hypot(event.clientX - from.x, event.clientY - from.y) >= STILL) {
        setViewport((before) => moved(before, event.clientX - from.x, event.clientY - from.y, board, size));
        drag.current = { x: event.clientX, y: event.clientY, far: true };
      }
    };
    const onPointerUp = (event) => {
      if (drag.current !== null && !drag.current.far) {
        onCursor(valueUnder(event));
      }
      drag.current = null;
    };
    const zoomAtCursor = (factor) => {
      if (cursor < 0) {
        zoomBy(factor);
        return;
      }
      const { row, column: column2 } = cellOf(board, cursor);
      zoomBy(factor, placing.x + (column2 + 0.5) * placing.cellWidth, placing.y + (row + 0.5) * placing.cellHeight);
    };
    const onKeyDown = (event) => {
      const direction = KEYS3[event.key];
      const act = direction !== void 0 ? () => onCursor(cursor < 0 ? 0 : neighbour(board, cursor, direction)) : event.key === "+" || event.key === "=" ? () => zoomAtCursor(ZOOM_STEP2) : event.key === "-" ? () => zoomAtCursor(1 / ZOOM_STEP2) : event.key === "0" ? () => setViewport(WHOLE) : event.key === "Home" ? () => onCursor(0) : event.key === "End" ? () => onCursor(board.count - 1) : null;
      if (act !== null && !event.ctrlKey && !event.metaKey && !event.altKey) {
        event.preventDefault();
        act();
      }
    };
    return /* @__PURE__ */ (0, import_jsx_runtime34.jsxs)("div", { class: "board", style: { maxHeight: board.tiles > 1 ? "" : `${Math.max(LEAST_HEIGHT, board.rows * LARGEST_FITTED_CELL + 2)}px` }, children: [
      /* @__PURE__ */ (0, import_jsx_runtime34.jsx)(
        "div",
        {
          ref: frame,
          class: viewport.zoom > 1 ? "board-frame board-zoomed" : "board-frame",
          tabIndex: 0,
          role: "group",
          "aria-label": "Picture; arrow keys go from value to value, plus, minus and 0 zoom",
          "data-arrow-keys": true,
          "data-testid": "picture",
          "data-zoom": viewport.zoom.toFixed(2),
          onPointerDown: (event) => (event.currentTarget.setPointerCapture(event.pointerId), drag.current = { x: event.clientX, y: event.clientY, far: false }),
          onPointerMove,
          onPointerUp,
          onPointerCancel: () => drag.current = null,
          onPointerLeave: () => onHover(-1),
          onKeyDown,
          children: /* @__PURE__ */ (0, import_jsx_runtime34.jsx)("canvas", { ref: canvas, role: "img", "aria-label": label, "data-testid": "picture-canvas" })
        }
      ),
      /* @__PURE__ */ (0, import_jsx_runtime34.jsxs)("div", { class: "board-buttons", role: "group", "aria-label": "Zoom the picture", children: [
        /* @__PURE__ */ (0, import_jsx_runtime34.jsx)("button", { type: "button", "data-testid": "picture-zoom-in", "aria-label": "Zoom in to the picture", onClick: () => zoomAtCursor(ZOOM_STEP2), children: "+" }),
        /* @__PURE__ */ (0, import_jsx_runtime34.jsx)("button", { type: "button", "data-testid": "picture-zoom-out", "aria-label": "Zoom out of the picture", "aria-disabled": viewport.zoom <= 1, onClick: () => zoomAtCursor(1 / ZOOM_STEP2), children: "\u2212" }),
        /* @__PURE__ */ (0, import_jsx_runtime34.jsx)("button", { type: "button", "data-testid": "picture-zoom-fit", "aria-label": "Fit the whole picture", "aria-disabled": viewport.zoom <= 1, onClick: () => setViewport(WHOLE), children: "Fit" })
      ] })
    ] });
  }
  function neighbour(board, k, [down, right]) {
    let { row, column: column2 } = cellOf(board, k);
    for (; ; ) {
      row += down;
      column2 += right;
      if (row < 0 || column2 < 0 || row >= board.rows || column2 >= board.columns) {
        return k;
      }
      const next = valueAt2(board, row, column2);
      if (next >= 0) {
        return next;
      }
    }
  }

  // src/views/picture/controls.tsx
  var import_jsx_runtime35 = __toESM(require_jsx_runtime(), 1);
  var SCALE_LABELS = { diverging: "Around zero", sequential: "Smallest to largest", log: "Symmetric logarithm" };
  function ColorControls({ store, asked, fitting, extent, hasShared, hasBatch }) {
    return /* @__PURE__ */ (0, import_jsx_runtime35.jsxs)(import_jsx_runtime35.Fragment, { children: [
      /* @__PURE__ */ (0, import_jsx_runtime35.jsxs)("label", { class: "picture-control", children: [
        /* @__PURE__ */ (0, import_jsx_runtime35.jsx)("span", { children: "Colors" }),
        /* @__PURE__ */ (0, import_jsx_runtime35.jsxs)("select", { "data-testid": "picture-scale", onChange: (event) => store.setView("scale", event.currentTarget.value || null), children: [
          /* @__PURE__ */ (0, import_jsx_runtime35.jsxs)("option", { value: "", selected: asked === null, children: [
            SCALE_LABELS[fitting],
            " (fits)"
          ] }),
          SCALES2.map((scale) => /* @__PURE__ */ (0, import_jsx_runtime35.jsx)("option", { value: scale, selected: asked === scale, children: SCALE_LABELS[scale] }, scale))
        ] })
      ] }),
      /* @__PURE__ */ (0, import_jsx_runtime35.jsxs)("label", { class: "picture-control", children: [
        /* @__PURE__ */ (0, import_jsx_runtime35.jsx)("span", { children: "Extent" }),
        /* @__PURE__ */ (0, import_jsx_runtime35.jsxs)("select", { "data-testid": "picture-extent", disabled: !hasShared, onChange: (event) => store.setView("extent", event.currentTarget.value === "tensor" ? null : event.currentTarget.value), children: [
          /* @__PURE__ */ (0, import_jsx_runtime35.jsx)("option", { value: "tensor", selected: hasShared && extent === "tensor", children: hasBatch ? "Of the whole batch" : "Of the whole tensor" }),
          /* @__PURE__ */ (0, import_jsx_runtime35.jsx)("option", { value: "steps", selected: hasShared && extent === "steps", children: "Of all steps" }),
          /* @__PURE__ */ (0, import_jsx_runtime35.jsx)("option", { value: "view", selected: !hasShared || extent === "view", children: "Of this picture" })
        ] })
      ] })
    ] });
  }
  function PageControls({ store, arrangement, page }) {
    const last = arrangement.pages.length - 1;
    const set = (axis, place2) => store.setView("page", writePage(page.map((at, k) => k === axis ? place2 : at), arrangement));
    return /* @__PURE__ */ (0, import_jsx_runtime35.jsx)(import_jsx_runtime35.Fragment, { children: arrangement.pages.map((axis, k) => /* @__PURE__ */ (0, import_jsx_runtime35.jsx)(Stepper, { axis, place: page[k] ?? null, canShowAll: k === last && canTile(arrangement), onChange: (place2) => set(k, place2) }, axis.position)) });
  }
  function Stepper({ axis, place: place2, canShowAll, onChange }) {
    const name = `axis ${axis.position}`;
    const last = axis.size - 1;
    const go = (to) => onChange(Math.max(0, Math.min(last, to)));
    return /* @__PURE__ */ (0, import_jsx_runtime35.jsxs)("div", { class: "picture-control", role: "group", "aria-label": `Place on ${name}`, children: [
      /* @__PURE__ */ (0, import_jsx_runtime35.jsxs)("span", { children: [
        "Axis ",
        axis.position
      ] }),
      canShowAll && /* @__PURE__ */ (0, import_jsx_runtime35.jsxs)("button", { type: "button", "data-testid": `page-all-${axis.position}`, "aria-pressed": place2 === null, "aria-label": `All ${axis.size} of ${name}`, onClick: () => onChange(place2 === null ? 0 : null), children: [
        "All ",
        axis.size
      ] }),
      /* @__PURE__ */ (0, import_jsx_runtime35.jsx)("button", { type: "button", class: "step-button", "data-testid": `page-previous-${axis.position}`, "aria-label": `Previous on ${name}`, "aria-disabled": place2 === 0, onClick: () => go((place2 ?? axis.size) - 1), children: "\u2039" }),
      /* @__PURE__ */ (0, import_jsx_runtime35.jsx)(
        "input",
        {
          type: "number",
          min: 0,
          max: last,
          "data-testid": `page-${axis.position}`,
          "aria-label": `Place on ${name}, from 0 to ${last}`,
          value: place2 ?? "",
          placeholder: "\u2013",
          onChange: (event) => event.currentTarget.value !== "" && go(Math.floor(Number(event.currentTarget.value)))
        }
      ),
      /* @__PURE__ */ (0, import_jsx_runtime35.jsx)("button", { type: "button", class: "step-button", "data-testid": `page-next-${axis.position}`, "aria-label": `Next on ${name}`, "aria-disabled": place2 === last, onClick: () => go((place2 ?? -1) + 1), children: "\u203A" }),
      /* @__PURE__ */ (0, import_jsx_runtime35.jsxs)("span", { class: "soft", children: [
        "of 0",
        "\u2013",
        last
      ] })
    ] });
  }

  // src/views/picture/extent.ts
  var EXTENTS = ["tensor", "steps", "view"];
  function readExtent(text2) {
    return EXTENTS.find((kind) => kind === text2) ?? "tensor";
  }
  function sharedExtent({ smallest, largest }, hasBatch, aggregation) {
    const [low, high] = [Number(smallest), Number(largest)];
    const name = hasBatch ? BATCH_AGGREGATIONS[aggregation] : void 0;
    if (Number.isNaN(low) || Number.isNaN(high) || name === "batch_std") {
      return null;
    }
    return name === "batch_abs_max" ? { low: 0, high: Math.max(Math.abs(low), Math.abs(high)) } : { low, high };
  }
  function joined(one, other) {
    return one === null || other === null ? one ?? other : { low: Math.min(one.low, other.low), high: Math.max(one.high, other.high) };
  }

  // src/views/picture/legend.tsx
  var import_hooks26 = __toESM(require_hooks(), 1);
  var import_jsx_runtime36 = __toESM(require_jsx_runtime(), 1);
  var BAR = { width: 256, height: 12 };
  var PATTERN = { width: 24, height: 14 };
  var TICKS = { diverging: [0, 0.5, 1], sequential: [0, 0.5, 1], log: [0, 0.25, 0.5, 0.75, 1] };
  var PATTERNS = [
    ["nan", "NaN", NaN],
    ["positiveInfinity", "+inf", Infinity],
    ["negativeInfinity", "\u2212inf", -Infinity]
  ];
  function Legend2({ coloring, census, onFind }) {
    const { scale, extent } = coloring;
    const ticks = ticksOf(scale, extent);
    const dark = isDark.value;
    const bar = (0, import_hooks26.useRef)(null);
    (0, import_hooks26.useLayoutEffect)(() => {
      const context = bar.current?.getContext("2d");
      const colors = colorsOf(scale, dark);
      if (context) {
        const image = context.createImageData(BAR.width, BAR.height);
        const pixels = new Uint32Array(image.data.buffer);
        pixels.forEach((_, k) => pixels[k] = colors[k % BAR.width]);
        context.putImageData(image, 0, 0);
      }
    }, [scale, dark]);
    return /* @__PURE__ */ (0, import_jsx_runtime36.jsxs)("div", { class: "legend", "data-testid": "picture-legend", children: [
      /* @__PURE__ */ (0, import_jsx_runtime36.jsxs)("div", { class: "legend-scale", children: [
        /* @__PURE__ */ (0, import_jsx_runtime36.jsx)("canvas", { ref: bar, width: BAR.width, height: BAR.height, role: "img", "aria-label": `Colors from ${brief(ticks[0])} to ${brief(ticks.at(-1))}` }),
        /* @__PURE__ */ (0, import_jsx_runtime36.jsx)("div", { class: "legend-ticks", children: ticks.map((tick, k) => /* @__PURE__ */ (0, import_jsx_runtime36.jsx)("span", { children: brief(tick) }, k)) })
      ] }),
      PATTERNS.filter(([name]) => census[name] > 0).map(([name, label, value]) => /* @__PURE__ */ (0, import_jsx_runtime36.jsxs)("button", { type: "button", class: "legend-pattern", "data-testid": `find-${name}`, title: "Go to the next one", onClick: () => onFind(value), children: [
        /* @__PURE__ */ (0, import_jsx_runtime36.jsx)(Pattern, { value, coloring }),
        label,
        ": ",
        counted(census[name], "value")
      ] }, name))
    ] });
  }
  function ticksOf(scale, extent) {
    return TICKS[scale].map((place2) => valueOnScale(scale, extent, place2));
  }
  function Pattern({ value, coloring }) {
    const canvas = (0, import_hooks26.useRef)(null);
    (0, import_hooks26.useLayoutEffect)(() => {
      const context = canvas.current?.getContext("2d");
      if (context) {
        const image = context.createImageData(PATTERN.width, PATTERN.height);
        const board = { start: 0, count: 1, rows: 1, columns: 1, rowBase: new Int32Array(1), columnBase: new Int32Array(1), tileRows: 1, tileColumns: 1, tiles: 1, tilesAcross: 1 };
        const placing = { x: 0, y: 0, cellWidth: PATTERN.width, cellHeight: PATTERN.height };
        paint2({ ...PATTERN, data: new Uint32Array(image.data.buffer) }, board, [value], [], placing, inkOf(coloring, false));
        context.putImageData(image, 0, 0);
      }
    }, []);
    return /* @__PURE__ */ (0, import_jsx_runtime36.jsx)("canvas", { ref: canvas, ...PATTERN, "aria-hidden": "true" });
  }

  // src/views/picture/samples.tsx
  var import_hooks27 = __toESM(require_hooks(), 1);

  // src/views/picture/sample_order.ts
  var SCALARS = ["mean", "abs_mean", "std", "abs_max"];
  function readSampleOrder(text2) {
    const item2 = SCALARS.find((scalar) => scalar === text2?.replace(/^-/, ""));
    return item2 === void 0 ? null : { item: item2, descending: text2?.startsWith("-") ?? false };
  }
  function orderedSamples(count2, order, scalarOf) {
    const samples = Array.from({ length: count2 }, (_, sample) => sample);
    if (order === null) {
      return samples;
    }
    const numbers = samples.map((sample) => scalarOf(sample, order.item) ?? NaN);
    const sign = order.descending ? -1 : 1;
    return samples.sort((a, b) => Number(Number.isNaN(numbers[a])) - Number(Number.isNaN(numbers[b])) || sign * Math.sign(numbers[a] - numbers[b] || 0) || a - b);
  }

  // src/views/picture/samples.tsx
  var import_jsx_runtime37 = __toESM(require_jsx_runtime(), 1);
  var LARGEST_THUMBNAIL = 2 ** 20;
  var THUMBNAIL = { width: 92, height: 60 };
  function Samples({ pane, arrangement, page, coloring }) {
    const { store, shown, open, record } = pane;
    const order = readSampleOrder(store.view.value.get("samples"));
    const board = (0, import_hooks27.useMemo)(() => boardOf(arrangement, page, THUMBNAIL.width / THUMBNAIL.height), [keyOfPicture(arrangement, page)]);
    if (record.samples < 2 || record.values < 0) {
      return null;
    }
    const scalarOf = (sample, item3) => {
      const value = open.content.numbers.statistics(record, BATCH_AGGREGATIONS.length + sample).at(record.items.indexOf(item3));
      return value === void 0 ? void 0 : Number(value);
    };
    const samples = orderedSamples(record.samples, order, scalarOf);
    const item2 = order?.item ?? "mean";
    return /* @__PURE__ */ (0, import_jsx_runtime37.jsxs)("section", { class: "samples", "aria-label": "All recorded samples of this tensor", "data-testid": "samples", children: [
      /* @__PURE__ */ (0, import_jsx_runtime37.jsxs)("div", { class: "picture-bar", children: [
        /* @__PURE__ */ (0, import_jsx_runtime37.jsx)("h3", { children: "Samples" }),
        /* @__PURE__ */ (0, import_jsx_runtime37.jsxs)("label", { class: "picture-control", children: [
          /* @__PURE__ */ (0, import_jsx_runtime37.jsx)("span", { children: "Order" }),
          /* @__PURE__ */ (0, import_jsx_runtime37.jsxs)("select", { "data-testid": "sample-order", onChange: (event) => store.setView("samples", event.currentTarget.value || null), children: [
            /* @__PURE__ */ (0, import_jsx_runtime37.jsx)("option", { value: "", selected: order === null, children: "As recorded" }),
            SCALARS.flatMap((scalar) => [
              /* @__PURE__ */ (0, import_jsx_runtime37.jsxs)("option", { value: `-${scalar}`, selected: order?.item === scalar && order.descending, children: [
                scalar,
                ", largest first"
              ] }, `-${scalar}`),
              /* @__PURE__ */ (0, import_jsx_runtime37.jsxs)("option", { value: scalar, selected: order?.item === scalar && !order.descending, children: [
                scalar,
                ", smallest first"
              ] }, scalar)
            ])
          ] })
        ] })
      ] }),
      /* @__PURE__ */ (0, import_jsx_runtime37.jsx)("ul", { class: "sample-strip", children: samples.map((sample) => {
        const aggregation = sampleAggregation(open.samples.index[sample] ?? sample);
        const scalar = scalarOf(sample, item2);
        return /* @__PURE__ */ (0, import_jsx_runtime37.jsx)("li", { children: /* @__PURE__ */ (0, import_jsx_runtime37.jsxs)("button", { type: "button", class: "sample", "data-testid": "sample", "data-sample": aggregation, "aria-pressed": shown.selection.aggregation === aggregation, onClick: () => store.change("aggregation", aggregation), children: [
          /* @__PURE__ */ (0, import_jsx_runtime37.jsx)(Thumbnail, { pane, sample, board, coloring }),
          /* @__PURE__ */ (0, import_jsx_runtime37.jsx)("span", { class: "sample-name", children: /* @__PURE__ */ (0, import_jsx_runtime37.jsx)("bdi", { children: aggregationLabel(aggregation, open.samples, (position) => store.bundle.text(position)) }) }),
          /* @__PURE__ */ (0, import_jsx_runtime37.jsxs)("span", { class: "soft", children: [
            item2,
            " ",
            scalar === void 0 ? "\u2026" : brief(scalar)
          ] })
        ] }) }, sample);
      }) })
    ] });
  }
  function Thumbnail({ pane, sample, board, coloring }) {
    const canvas = (0, import_hooks27.useRef)(null);
    const [seen, setSeen] = (0, import_hooks27.useState)(false);
    const dark = isDark.value;
    const wanted = seen && board.count <= LARGEST_THUMBNAIL;
    const gathering = useGathered(pane, BATCH_AGGREGATIONS.length + sample, board.start, board.start + board.count, wanted);
    const ink = (0, import_hooks27.useMemo)(() => inkOf(coloring, dark), [coloring.scale, coloring.extent.low, coloring.extent.high, dark]);
    (0, import_hooks27.useEffect)(() => {
      const observer = new IntersectionObserver((entries2) => entries2.some((entry) => entry.isIntersecting) && setSeen(true), { rootMargin: "100px" });
      observer.observe(canvas.current);
      return () => observer.disconnect();
    }, []);
    (0, import_hooks27.useLayoutEffect)(() => {
      if (canvas.current !== null && gathering !== null) {
        drawBoard(canvas.current, THUMBNAIL, board, gathering.values, placingOf(WHOLE, board, THUMBNAIL), ink);
      }
    }, [board, gathering?.values, gathering?.state, ink]);
    return /* @__PURE__ */ (0, import_jsx_runtime37.jsx)("canvas", { ref: canvas, ...THUMBNAIL, class: "thumbnail", "aria-hidden": "true" });
  }

  // src/views/picture/use_steps_extent.ts
  var import_hooks28 = __toESM(require_hooks(), 1);
  var AT_A_TIME = 4;
  function useStepsExtent(pane, aggregation, wanted) {
    const { store, shown, open, record } = pane;
    void store.version.value;
    const { tensors } = open.content.layout;
    const [name, iteration] = [tensors.name[record.tensor], tensors.iteration[record.tensor]];
    const found = (0, import_hooks28.useMemo)(() => /* @__PURE__ */ new Map(), [open.trial, shown.selection.recording, name, iteration]);
    const steps = open.trial.steps.step.length;
    for (let step = 0, asked = 0; wanted && step < steps && asked < AT_A_TIME; step++) {
      if (!found.has(step)) {
        const facts = factsOf(pane, step, name, iteration);
        if (facts === void 0) {
          asked += 1;
        } else {
          found.set(step, facts);
        }
      }
    }
    const extents = [...found.values()].map((facts) => facts && sharedExtent(facts, record.hasBatch, aggregation));
    return { extent: extents.reduce(joined, null), known: found.size, total: steps };
  }
  function factsOf({ store, shown, open }, step, name, iteration) {
    const { bundle } = store;
    const content = bundle.step(open.trial, step);
    if (content.state !== "ready") {
      return content.state === "failed" ? null : void 0;
    }
    const { layout, table, numbers } = content.value;
    const tensor = layout.tensors.name.findIndex((other, k) => other === name && layout.tensors.iteration[k] === iteration);
    const record = table.byGroup.get(shown.selection.recording)?.get(tensor);
    if (record === void 0) {
      return null;
    }
    const chunks = numbers.overviewChunks(record, 0);
    bundle.chunks.request(chunks);
    return numbers.facts(record) ?? (chunks.some((id) => bundle.chunks.failure(id) !== void 0) ? null : void 0);
  }

  // src/views/picture/picture.tsx
  var import_jsx_runtime38 = __toESM(require_jsx_runtime(), 1);
  function PictureView(pane) {
    const { store, open, record } = pane;
    void store.version.value;
    const shown = shownValues(pane);
    const arrangement = arrange(shown.axes);
    const pageText = store.view.value.get("page");
    const page = readPage(pageText, arrangement);
    const { start: start2, count: count2 } = rangeOf(arrangement, page);
    const fits = count2 <= LARGEST_PICTURE && shown.absent === null;
    const gathering = useGathered(pane, shown.aggregation, start2, start2 + count2, fits);
    const census = (0, import_hooks29.useMemo)(() => gathering === null ? null : censusOf(gathering.values), [gathering?.values, gathering?.state]);
    store.bundle.chunks.request(open.content.numbers.overviewChunks(record, shown.aggregation));
    if (gathering?.error !== void 0) {
      return /* @__PURE__ */ (0, import_jsx_runtime38.jsx)(Failure, { store, error: gathering.error, what: "the values" });
    }
    if (shown.absent !== null) {
      return /* @__PURE__ */ (0, import_jsx_runtime38.jsxs)("p", { class: "empty", "data-testid": "picture-empty", children: [
        shown.absent,
        ": there is no picture of it."
      ] });
    }
    if (gathering === null || census === null) {
      return /* @__PURE__ */ (0, import_jsx_runtime38.jsxs)("p", { class: "empty", "data-testid": "picture-empty", children: [
        grouped(count2),
        " values are too many for a picture; the table has them all."
      ] });
    }
    return /* @__PURE__ */ (0, import_jsx_runtime38.jsx)(Picture, { pane, shown, arrangement, page, gathering, census });
  }
  function Picture({ pane, shown, arrangement, page, gathering, census }) {
    const { store, open, record } = pane;
    const [frame, size] = useSize();
    const aspect = size.height > 0 ? Math.round(size.width / size.height * 4) / 4 : 2;
    const board = (0, import_hooks29.useMemo)(() => boardOf(arrangement, page, aspect), [keyOfPicture(arrangement, page), aspect]);
    const { values, state } = gathering;
    const [cursor, setCursor] = (0, import_hooks29.useState)(-1);
    const [hover, setHover] = (0, import_hooks29.useState)(-1);
    (0, import_hooks29.useLayoutEffect)(() => {
      setCursor(-1);
      setHover(-1);
    }, [board]);
    const facts = open.content.numbers.facts(record);
    const shared = facts === void 0 ? null : sharedExtent(facts, record.hasBatch, shown.aggregation);
    const extentKind = readExtent(store.view.value.get("extent"));
    const ofSteps = useStepsExtent(pane, shown.aggregation, extentKind === "steps" && shared !== null);
    const extent = (shared === null || extentKind === "view" ? null : extentKind === "steps" ? joined(shared, ofSteps.extent) : shared) ?? { low: census.low, high: census.high };
    const asked = readScale(store.view.value.get("scale"));
    const fitting = fittingScale(extent);
    const coloring = { scale: asked ?? fitting, extent };
    const pointed = hover >= 0 ? hover : cursor;
    return /* @__PURE__ */ (0, import_jsx_runtime38.jsxs)("div", { class: "picture-pane", children: [
      /* @__PURE__ */ (0, import_jsx_runtime38.jsxs)("div", { class: "picture-bar", children: [
        /* @__PURE__ */ (0, import_jsx_runtime38.jsx)(ColorControls, { store, asked, fitting, extent: extentKind, hasShared: shared !== null, hasBatch: record.hasBatch }),
        /* @__PURE__ */ (0, import_jsx_runtime38.jsx)(PageControls, { store, arrangement, page })
      ] }),
      /* @__PURE__ */ (0, import_jsx_runtime38.jsx)(BoardView, { board, values, state, coloring, size, frame, label: labelOf(arrangement, census, shown), cursor, onCursor: setCursor, onHover: setHover }),
      /* @__PURE__ */ (0, import_jsx_runtime38.jsxs)("div", { class: "picture-foot", children: [
        /* @__PURE__ */ (0, import_jsx_runtime38.jsx)("output", { class: "readout", "aria-live": "polite", "data-testid": "picture-readout", children: pointed < 0 ? /* @__PURE__ */ (0, import_jsx_runtime38.jsx)("span", { class: "soft", children: axesText(arrangement, page) }) : /* @__PURE__ */ (0, import_jsx_runtime38.jsx)(Readout, { gathering, shown, start: board.start, k: pointed }) }),
        !values.complete && /* @__PURE__ */ (0, import_jsx_runtime38.jsx)(Progress, { gathering })
      ] }),
      extentKind === "steps" && shared !== null && ofSteps.known < ofSteps.total && /* @__PURE__ */ (0, import_jsx_runtime38.jsxs)("span", { class: "soft", role: "status", "data-testid": "extent-loading", children: [
        "Extent of ",
        ofSteps.known,
        " of ",
        counted(ofSteps.total, "step"),
        " so far"
      ] }),
      /* @__PURE__ */ (0, import_jsx_runtime38.jsx)(Legend2, { coloring, census, onFind: (value) => setCursor(nextLike(values, value, cursor)) }),
      /* @__PURE__ */ (0, import_jsx_runtime38.jsx)(Samples, { pane, arrangement, page, coloring })
    ] });
  }
  function Readout({ gathering, shown, start: start2, k }) {
    const value = gathering.values.at(k);
    const index = indexText(start2 + k, shown.shape);
    return /* @__PURE__ */ (0, import_jsx_runtime38.jsxs)(import_jsx_runtime38.Fragment, { children: [
      "[",
      index,
      "] = ",
      /* @__PURE__ */ (0, import_jsx_runtime38.jsx)("strong", { children: value === void 0 ? "not loaded yet" : fixed(value, shown.dtype) })
    ] });
  }
  function Progress({ gathering }) {
    const { loaded: loaded2, total } = gathering.values.progress;
    return /* @__PURE__ */ (0, import_jsx_runtime38.jsxs)("span", { class: "soft", role: "status", "data-testid": "picture-loading", children: [
      "Loading: ",
      loaded2,
      " of ",
      counted(total, "part")
    ] });
  }
  function nextLike({ numbers, length }, value, k) {
    for (let step = 1; step <= length; step++) {
      if (Object.is(numbers[(k + step) % length], value)) {
        return (k + step) % length;
      }
    }
    return -1;
  }
  function axesText({ rows, columns, pages }, page) {
    if (rows === null) {
      return `${columns === null ? "A single value" : `${capitalized(axisName(columns))}, row by row`}`;
    }
    const tiles = page.length > 0 && page.at(-1) === null ? `; tiles: ${axisName(pages.at(-1))}` : "";
    return `Down: ${axisName(rows)}; right: ${axisName(columns)}${tiles}`;
  }
  function capitalized(text2) {
    return text2.charAt(0).toUpperCase() + text2.slice(1);
  }
  function labelOf(arrangement, census, { shape }) {
    const special = [[census.nan, "NaN"], [census.positiveInfinity, "+inf"], [census.negativeInfinity, "-inf"]];
    const found = special.filter(([count2]) => count2 > 0).map(([count2, name]) => `, ${grouped(count2)} ${name}`);
    return `Picture of ${counted(census.finite, "finite value")} from ${brief(census.low)} to ${brief(census.high)}, mean ${brief(census.mean)}${found.join("")}; shape ${shapeText(shape)}, rows are ${axisName(arrangement.rows)}`;
  }

  // src/views/over_time.tsx
  var import_hooks30 = __toESM(require_hooks(), 1);

  // src/state/over_time_options.ts
  var STATISTICS3 = ["mean", "abs_mean", "std", "abs_max", "svd", "single_value", "min", "max", "nan", "posinf", "neginf", "zeros"];
  var DEFAULT = { statistics: ["mean", "abs_max", "single_value"], logarithmic: false, hidden: [] };
  var LOGARITHMIC = "log";
  var HIDDEN = "-";
  var LARGEST_ADDRESS2 = 2e3;
  var MOST_PINS = 12;
  function readTimeOptions(text2) {
    if (text2 === void 0) {
      return DEFAULT;
    }
    const parts = text2.slice(0, LARGEST_ADDRESS2).split(",");
    return {
      statistics: STATISTICS3.filter((statistic) => statistic === "single_value" || parts.includes(statistic)),
      logarithmic: parts.includes(LOGARITHMIC),
      hidden: parts.filter((part) => part.startsWith(HIDDEN)).map((part) => unescaped2(part.slice(HIDDEN.length)))
    };
  }
  function writeTimeOptions({ statistics, logarithmic, hidden }) {
    const chosen = STATISTICS3.filter((statistic) => statistic !== "single_value" && statistics.includes(statistic));
    const parts = [...chosen, ...logarithmic ? [LOGARITHMIC] : [], ...hidden.map((id) => HIDDEN + escaped2(id))];
    const text2 = parts.join(",");
    return text2 === DEFAULT.statistics.filter((statistic) => statistic !== "single_value").join(",") ? null : text2;
  }
  function curveId(statistic, group, triggered) {
    return `${triggered ? "!" : ""}${statistic}:${group}`;
  }
  function readPins(text2) {
    const pins = [];
    for (const part of (text2 ?? "").split(",")) {
      const match2 = /^(-1|0|[1-9][0-9]{0,8})\.(.+)$/s.exec(part);
      const pin = match2 && { iteration: Number(match2[1]), name: unescaped2(match2[2]) };
      if (pin && pins.length < MOST_PINS && !pins.some((known) => isSamePin(known, pin))) {
        pins.push(pin);
      }
    }
    return pins;
  }
  function writePins(pins) {
    return pins.length === 0 ? null : pins.map(({ iteration, name }) => `${iteration}.${escaped2(name)}`).join(",");
  }
  function isSamePin(one, other) {
    return one.name === other.name && one.iteration === other.iteration;
  }
  function escaped2(text2) {
    return text2.replace(/[%,]/g, encodeURIComponent);
  }
  function unescaped2(text2) {
    return text2.replace(/%2C|%25/g, decodeURIComponent);
  }

  // src/views/over_time_curves.ts
  var item = (name) => (record, aggregation) => {
    const place2 = record.items.indexOf(name);
    return place2 < 0 ? void 0 : record.statistic(place2, record.aggregations === 1 ? 0 : aggregation);
  };
  var count = (column2) => (record) => record.count(column2);
  var MEANINGS = {
    mean: { label: "mean", color: 0, isCount: false, read: item("mean") },
    abs_mean: { label: "abs_mean", color: 2, isCount: false, read: item("abs_mean") },
    std: { label: "std", color: 4, isCount: false, read: item("std") },
    abs_max: { label: "abs_max", color: 1, isCount: false, read: item("abs_max") },
    svd: { label: "svd", color: 5, isCount: false, read: item("svd") },
    single_value: { label: "value", color: 0, isCount: false, read: item("single_value") },
    min: { label: "smallest", color: 9, isCount: false, read: (record) => record.extreme(0) },
    max: { label: "largest", color: 6, isCount: false, read: (record) => record.extreme(1) },
    nan: { label: "NaN", color: 3, isCount: true, read: count(0) },
    posinf: { label: "+inf", color: 1, isCount: true, read: count(1) },
    neginf: { label: "-inf", color: 4, isCount: true, read: count(2) },
    zeros: { label: "zeros", color: 7, isCount: true, read: count(3) }
  };
  var StepChooser = class {
    constructor(bundle, trial, type) {
      this.bundle = bundle;
      this.trial = trial;
      this.type = type;
      this.positions = new Map(trial.steps.step.map((step, k) => [step, k]));
    }
    bundle;
    trial;
    type;
    positions;
    known = /* @__PURE__ */ new Map();
    choose(steps) {
      const known = this.known.get(steps);
      if (known !== void 0) {
        return known;
      }
      const regular = [];
      const triggered = [];
      steps.forEach((step, k) => {
        const position = this.positions.get(step);
        if (position === void 0) {
          return;
        }
        const isTriggered = this.trial.steps.triggered[position] >= 0;
        if (this.type === ANY_TYPE || this.type === TRIGGERED || this.bundle.typeOf(this.trial, position) === this.type) {
          (isTriggered ? triggered : regular).push(k);
        }
      });
      const placesOf = (places) => ({ places, t: Float64Array.from(places, (place2) => steps[place2]) });
      const chosen = { regular: placesOf(regular), triggered: placesOf(triggered) };
      this.known.set(steps, chosen);
      return chosen;
    }
  };
  function chunksOf2(records, statistics, aggregation) {
    const numbers = records.flatMap((record) => statistics.map((statistic) => MEANINGS[statistic].read(record, aggregation)));
    return [...new Set(numbers.flatMap((row) => row?.chunks(0, row.length) ?? []))];
  }
  function timeCurves(records, statistics, aggregation, chooser) {
    const groups = [...new Set(records.map((record) => record.group))];
    return groups.flatMap((group, number2) => {
      const own = records.filter((record) => record.group === group);
      return statistics.flatMap((statistic) => {
        const { label, color, isCount, read } = MEANINGS[statistic];
        const rows = own.flatMap((record) => {
          const numbers = read(record, aggregation);
          return numbers === void 0 ? [] : [{ record, numbers }];
        });
        return [false, true].flatMap((triggered) => {
          const points = joined2(rows.map(({ record, numbers }) => pointsOf(numbers, chooser.choose(record.steps)[triggered ? "triggered" : "regular"])));
          return points.t.length === 0 ? [] : [{
            id: curveId(statistic, group, triggered),
            isCount,
            name: label,
            type: triggered ? `${group}, triggered steps` : group,
            ...points,
            style: { color, marker: number2 % 5 + (triggered ? 5 : 0), dash: DASHES[number2 % DASHES.length] ?? [] },
            ...triggered && { marksOnly: true }
          }];
        });
      });
    });
  }
  function pointsOf(numbers, { places, t }) {
    return { t, v: Float64Array.from(places, (place2) => Number(numbers.at(place2) ?? NaN)) };
  }
  function joined2(parts) {
    const [first, ...others] = parts.filter(({ t }) => t.length > 0);
    if (first === void 0 || others.length === 0) {
      return first ?? { t: new Float64Array(), v: new Float64Array() };
    }
    const all3 = [first, ...others].flatMap(({ t, v }) => Array.from(t, (time, k) => [time, v[k]])).sort(([a], [b]) => a - b);
    return { t: Float64Array.from(all3, ([time]) => time), v: Float64Array.from(all3, ([, value]) => value) };
  }
  function failureOf(chunks, ids) {
    return ids.map((id) => chunks.failure(id)).find((error) => error !== void 0);
  }

  // src/views/over_time.tsx
  var import_jsx_runtime39 = __toESM(require_jsx_runtime(), 1);
  var HEIGHT3 = 230;
  var SMALL_HEIGHT = 150;
  var SAID = 6;
  function OverTime({ store, shown, open }) {
    void store.version.value;
    const { layout } = open.content;
    const tensor = store.offer.value?.tensor ?? -1;
    const selected = { name: layout.tensors.name[tensor] ?? "", iteration: layout.tensors.iteration[tensor] ?? -1 };
    const series = store.bundle.series(open.trial);
    if (series.state === "failed") {
      return /* @__PURE__ */ (0, import_jsx_runtime39.jsx)(Failure, { store, error: series.error, what: "the curves" });
    }
    if (series.state === "loading") {
      return /* @__PURE__ */ (0, import_jsx_runtime39.jsx)("p", { class: "empty", role: "status", children: "Loading\u2026" });
    }
    if (series.value === null) {
      return /* @__PURE__ */ (0, import_jsx_runtime39.jsx)("p", { class: "empty", "data-testid": "over-time-empty", children: "This page holds nothing over time, since an earlier version exported it. Export the recording again." });
    }
    const { aggregation } = shown.selection;
    return /* @__PURE__ */ (0, import_jsx_runtime39.jsx)("div", { class: "over-time", "data-testid": "over-time", role: "region", "aria-label": "Over time", tabIndex: 0, children: /* @__PURE__ */ (0, import_jsx_runtime39.jsx)(
      Charts,
      {
        store,
        series: series.value,
        selected,
        aggregation: Math.max(0, BATCH_AGGREGATIONS.indexOf(aggregation)),
        isSample: aggregation.startsWith("sample_"),
        aggregationName: aggregationLabel(aggregation, open.samples, (position) => store.bundle.text(position)),
        step: shown.selection.step,
        stepType: shown.selection.stepType
      },
      keyOf(open.trial)
    ) });
  }
  function Charts({ store, series, selected, aggregation, isSample, aggregationName, step, stepType }) {
    const trial = store.trial.value;
    const [timeText, pinsText] = [store.view.value.get("time"), store.view.value.get("pins")];
    const options = (0, import_hooks30.useMemo)(() => readTimeOptions(timeText), [timeText]);
    const pins = (0, import_hooks30.useMemo)(() => readPins(pinsText), [pinsText]);
    const [range, setRange] = (0, import_hooks30.useState)(null);
    const [hovered, setHovered] = (0, import_hooks30.useState)(null);
    const chooser = (0, import_hooks30.useMemo)(() => new StepChooser(store.bundle, trial, stepType), [trial, stepType]);
    const { step: steps } = trial.steps;
    const extent = (0, import_hooks30.useMemo)(() => [steps[0], steps[steps.length - 1]], [steps]);
    const change = (changed) => store.setView("time", writeTimeOptions({ ...options, ...changed }));
    const setPins = (changed) => store.setView("pins", writePins(changed));
    const isPinned = pins.some((pin) => isSamePin(pin, selected));
    const statistics = (0, import_hooks30.useMemo)(() => options.statistics, [options.statistics.join()]);
    const shared = { store, series, options, statistics, aggregation, chooser, extent, range, hovered, step, onOptions: change, onRange: setRange, onHover: setHovered };
    return /* @__PURE__ */ (0, import_jsx_runtime39.jsxs)(import_jsx_runtime39.Fragment, { children: [
      /* @__PURE__ */ (0, import_jsx_runtime39.jsxs)("div", { class: "page-bar", children: [
        /* @__PURE__ */ (0, import_jsx_runtime39.jsx)(Statistics, { records: [selected, ...pins].flatMap(({ name, iteration }) => series.records(name, iteration)), options, onChange: change }),
        /* @__PURE__ */ (0, import_jsx_runtime39.jsx)("button", { type: "button", "aria-pressed": options.logarithmic, "data-testid": "time-log", onClick: () => change({ logarithmic: !options.logarithmic }), children: "Logarithmic" }),
        /* @__PURE__ */ (0, import_jsx_runtime39.jsx)("button", { type: "button", "aria-disabled": range === null, "data-testid": "time-reset-zoom", onClick: () => setRange(null), children: "Reset zoom" })
      ] }),
      /* @__PURE__ */ (0, import_jsx_runtime39.jsxs)("p", { class: "soft over-time-note", "data-testid": "over-time-note", children: [
        isSample ? "Samples are not kept over time: this is the mean over the batch. " : `${aggregationName}. `,
        stepType === ANY_TYPE || stepType === TRIGGERED ? "All types of training steps together. " : /* @__PURE__ */ (0, import_jsx_runtime39.jsxs)(import_jsx_runtime39.Fragment, { children: [
          "Steps of the type ",
          /* @__PURE__ */ (0, import_jsx_runtime39.jsx)("bdi", { children: stepType }),
          ". "
        ] }),
        trial.steps.triggered.some((reason) => reason >= 0) && "Triggered steps, a biased sample, are marks without a line. ",
        "The line marks step ",
        step,
        "; click to go to another one."
      ] }),
      /* @__PURE__ */ (0, import_jsx_runtime39.jsx)(TensorCharts, { ...shared, tensor: selected, height: HEIGHT3, children: /* @__PURE__ */ (0, import_jsx_runtime39.jsx)(
        "button",
        {
          type: "button",
          "aria-pressed": isPinned,
          "aria-disabled": !isPinned && pins.length >= MOST_PINS,
          title: "Keep the curves of this tensor in sight while another one is selected",
          "data-testid": "pin",
          onClick: () => setPins(isPinned ? pins.filter((pin) => !isSamePin(pin, selected)) : [...pins, selected].slice(0, MOST_PINS)),
          children: "Pin"
        }
      ) }),
      pins.length > 0 && /* @__PURE__ */ (0, import_jsx_runtime39.jsx)("div", { class: "pinned", role: "group", "aria-label": "Pinned tensors", "data-testid": "pinned", children: pins.map((pin) => /* @__PURE__ */ (0, import_jsx_runtime39.jsx)(TensorCharts, { ...shared, tensor: pin, height: SMALL_HEIGHT, children: /* @__PURE__ */ (0, import_jsx_runtime39.jsx)("button", { type: "button", class: "link", "aria-label": `Unpin ${tensorLabel(pin)}`, "data-testid": "unpin", onClick: () => setPins(pins.filter((other) => other !== pin)), children: "Unpin" }) }, `${pin.iteration}/${pin.name}`)) })
    ] });
  }
  function Statistics({ records, options, onChange }) {
    const offered = STATISTICS3.filter((statistic) => statistic !== "single_value" && records.some((record) => MEANINGS[statistic].read(record, 0) !== void 0));
    const toggle = (statistic) => {
      const { statistics } = options;
      onChange({ statistics: statistics.includes(statistic) ? statistics.filter((other) => other !== statistic) : [...statistics, statistic] });
    };
    return /* @__PURE__ */ (0, import_jsx_runtime39.jsx)("div", { class: "button-group time-statistics", role: "group", "aria-label": "Statistics over time", children: offered.map((statistic) => /* @__PURE__ */ (0, import_jsx_runtime39.jsx)("button", { type: "button", "data-testid": `time-${statistic}`, "aria-pressed": options.statistics.includes(statistic), title: MEANINGS[statistic].isCount ? `How many values are ${MEANINGS[statistic].label}` : void 0, onClick: () => toggle(statistic), children: MEANINGS[statistic].label }, statistic)) });
  }
  function tensorLabel({ name, iteration }) {
    return iteration < 0 ? nodeLabel(name) : `${nodeLabel(name)}, iteration ${iteration}`;
  }
  function TensorCharts(props) {
    const { store, series, tensor, statistics, aggregation, chooser } = props;
    const { name, iteration } = tensor;
    const label = tensorLabel(tensor);
    const records = (0, import_hooks30.useMemo)(() => series.records(name, iteration), [series, name, iteration]);
    const ids = (0, import_hooks30.useMemo)(() => chunksOf2(records, statistics, aggregation), [records, statistics, aggregation]);
    const { chunks } = store.bundle;
    const failure = failureOf(chunks, ids);
    const waiting = ids.some((id) => chunks.peek(id) === void 0);
    if (waiting && failure === void 0) {
      chunks.request(ids);
    }
    const curves = (0, import_hooks30.useMemo)(() => waiting ? [] : timeCurves(records, statistics, aggregation, chooser), [records, statistics, aggregation, chooser, waiting]);
    const values = (0, import_hooks30.useMemo)(() => curves.filter((curve) => !curve.isCount), [curves]);
    const counts = (0, import_hooks30.useMemo)(() => curves.filter((curve) => curve.isCount), [curves]);
    return /* @__PURE__ */ (0, import_jsx_runtime39.jsxs)("div", { class: "tensor-over-time", "data-testid": "tensor-over-time", "data-tensor": label, children: [
      /* @__PURE__ */ (0, import_jsx_runtime39.jsxs)("div", { class: "tensor-head", children: [
        /* @__PURE__ */ (0, import_jsx_runtime39.jsx)("h3", { title: label, children: /* @__PURE__ */ (0, import_jsx_runtime39.jsx)("bdi", { children: label }) }),
        props.children
      ] }),
      failure !== void 0 && /* @__PURE__ */ (0, import_jsx_runtime39.jsx)(Failure, { store, error: failure, what: "the curves" }),
      failure === void 0 && curves.length === 0 && /* @__PURE__ */ (0, import_jsx_runtime39.jsx)("p", { class: "empty", role: "status", "data-testid": "over-time-empty", children: waiting ? "Loading\u2026" : emptyText(records, statistics) }),
      values.length > 0 && /* @__PURE__ */ (0, import_jsx_runtime39.jsx)(TimeChart, { ...props, label, curves: values }),
      counts.length > 0 && /* @__PURE__ */ (0, import_jsx_runtime39.jsx)(TimeChart, { ...props, label: `${label}, numbers of values`, curves: counts })
    ] });
  }
  function emptyText(records, statistics) {
    if (records.length === 0) {
      return "This tensor was not recorded in this trial.";
    }
    const hasChosen = records.some((record) => statistics.some((statistic) => MEANINGS[statistic].read(record, 0) !== void 0));
    return hasChosen ? "This tensor was not recorded on steps of this type." : "Choose at least one statistic.";
  }
  function TimeChart({ store, label, curves, options, extent, range, hovered, step, height, onOptions, onRange, onHover }) {
    const { hidden } = options;
    const areCounts = curves.some((curve) => curve.isCount);
    const visible = (0, import_hooks30.useMemo)(() => curves.map((curve) => !hidden.includes(curve.id)), [curves, hidden]);
    const toggle = (k) => {
      const { id } = curves[k];
      onOptions({ hidden: hidden.includes(id) ? hidden.filter((other) => other !== id) : [...hidden, id] });
    };
    const longest = curves.reduce((most, { t }) => Math.max(most, t.length), 0);
    return /* @__PURE__ */ (0, import_jsx_runtime39.jsx)(
      ChartFigure,
      {
        name: label,
        label: `${label} over time`,
        description: described(curves.filter((_, k) => visible[k]), step),
        curves,
        visible,
        logarithmic: options.logarithmic && !areCounts,
        height,
        extent,
        marked: step,
        range,
        hovered,
        onToggle: toggle,
        onRange,
        onHover,
        onPick: (time) => store.goToStep(time),
        children: /* @__PURE__ */ (0, import_jsx_runtime39.jsxs)("span", { class: "soft", children: [
          counted(longest, "step"),
          areCounts && ", numbers of values"
        ] })
      }
    );
  }
  function described(curves, step) {
    const values = curves.flatMap(({ name, type, t, v }) => {
      const place2 = nearestPoint(t, step);
      return t[place2] === step ? [`${name} of ${type} ${brief(v[place2])}`] : [];
    });
    const said = values.slice(0, SAID).join(", ") + (values.length > SAID ? `, and ${grouped(values.length - SAID)} more` : "");
    return `Chart of ${counted(curves.length, "curve")} over the training steps. At step ${step}: ${said === "" ? "no point" : said}`;
  }

  // src/views/parameter_change.ts
  function parameterChange(bundle, { numbers }, network, facts, name) {
    const place2 = placeOfParameter(network, name);
    const list2 = bundle.parameterList(facts.parameter_list);
    if (place2 === null || list2.state !== "ready" || list2.value === null) {
      return null;
    }
    const { parameter } = list2.value;
    const all3 = numbers.parameters;
    const k = [parameter.indexOf(place2.position), parameter.indexOf(place2.shared)].find((found) => found >= 0);
    if (k === void 0 || all3.length !== 3 * parameter.length) {
      return null;
    }
    const places = [k, parameter.length + k, 2 * parameter.length + k];
    bundle.chunks.request(places.flatMap((number2) => all3.chunks(number2, number2 + 1)));
    const [norm, updateNorm, leftOver] = places.map((number2) => {
      const value = all3.at(number2);
      return value === void 0 ? void 0 : Number(value);
    });
    return { norm, updateNorm, leftOver };
  }

  // src/views/remarks.tsx
  var import_jsx_runtime40 = __toESM(require_jsx_runtime(), 1);
  function Remarks(props) {
    const remarks = [...aboutSelection(props), ...props.tensor < 0 ? [] : [...aboutGradient(props), ...aboutParameter(props), ...aboutSamples(props), ...aboutBundle(props)]];
    return remarks.length === 0 ? null : /* @__PURE__ */ (0, import_jsx_runtime40.jsx)("ul", { class: "remarks", children: remarks.map(({ id, text: text2 }) => /* @__PURE__ */ (0, import_jsx_runtime40.jsx)("li", { "data-testid": `remark-${id}`, class: QUIET.has(id) ? "soft" : "", children: text2 }, id)) });
  }
  var QUIET = /* @__PURE__ */ new Set(["samples", "rounded", "all-ranks", "gradient-facts", "parameter"]);
  function aboutSelection({ store, shown, open, tensor }) {
    const { layout } = open.content;
    const offer = store.offer.value;
    const remarks = [];
    const givenUp = store.chosen.value?.recording;
    if (givenUp !== void 0 && givenUp !== shown.selection.recording) {
      const instead = `\u201C${shown.selection.recording}\u201D is shown instead, and \u201C${givenUp}\u201D again as soon as it is.`;
      remarks.push({ id: "fallback", text: `\u201C${givenUp}\u201D is not recorded for this selection: ${instead}` });
    }
    const iteration = layout.tensors.iteration[tensor] ?? -1;
    const isFromElsewhere = iteration !== shown.selection.iteration && (iteration !== -1 || layout.tensors.type[tensor] !== "parameter");
    if (offer !== void 0 && tensor >= 0 && (layout.tensors.name[tensor] !== offer.name || isFromElsewhere)) {
      remarks.push({ id: "reference", text: `The numbers are those of \u201C${layout.tensors.name[tensor]}\u201D ${iteration < 0 ? "before the first iteration" : `of iteration ${iteration}`}.` });
    }
    return remarks;
  }
  function aboutGradient({ shown, open, tensor, facts, known, change }) {
    const { recording } = shown.selection;
    const { tensors } = open.content.layout;
    const remarks = [];
    if (recording === FORWARD) {
      return remarks;
    }
    const count2 = (tensors.shape[tensor] ?? []).reduce((product, size) => product * size, 1);
    if (facts?.gradientAbsent) {
      remarks.push({ id: "gradient-absent", text: "Gradient absent (counted as zeros)." });
    } else if (facts !== void 0 && count2 > 0 && Number(facts.zeros) === count2 && open.trial.rank !== null) {
      remarks.push({ id: "gradient-zero", text: "The gradient is not absent: it exists, and all of its values are zero." });
    }
    if ((change?.leftOver ?? 0) > 0) {
      remarks.push({ id: "gradient-left-over", text: `Contains gradients of earlier steps: it differs by ${brief(change?.leftOver ?? 0)} (Euclidean norm) from what the backward passes of this step added up to.` });
    }
    const ofGroup = known.step?.gradients.find(({ group }) => group === recording);
    const sentences = ofGroup === void 0 ? [] : gradientSentences(ofGroup, tensors.type[tensor] === "parameter");
    if (sentences.length > 0) {
      remarks.push({ id: "gradient-facts", text: sentences.join(" ") });
    }
    return remarks;
  }
  function aboutParameter({ open, tensor, known }) {
    const { tensors } = open.content.layout;
    const place2 = known.network && tensors.type[tensor] === "parameter" ? placeOfParameter(known.network, tensors.name[tensor] ?? "") : null;
    if (known.network === null || place2 === null) {
      return [];
    }
    const sentences = parameterSentences(known.network, place2, known.step?.learning_rates ?? null);
    return sentences.length === 0 ? [] : [{ id: "parameter", text: sentences.join(" ") }];
  }
  function aboutBundle({ open, tensor }) {
    const { tensors } = open.content.layout;
    const remarks = [];
    const [dtype, stored] = [tensors.dtype[tensor] ?? "", tensors.stored[tensor] ?? ""];
    const aggregates = tensors.aggregates?.[tensor] ?? null;
    const values = isRounded(dtype, stored) ? stored : null;
    if (values !== null || aggregates === "F16" || aggregates === "BF16") {
      const what = values === null ? "The values over the batch" : "The values";
      remarks.push({ id: "rounded", text: `${what} were rounded for this bundle and are stored as ${values ?? aggregates}. Statistics are exact.` });
    }
    const kept = tensors.kept?.[tensor] ?? null;
    if (kept !== null && kept.length > 0 && tensors.batch_dimension[tensor] !== null) {
      remarks.push({ id: "samples-left-out", text: `This bundle has the values of ${counted(kept.length, "sample")}; those of the others were left out.` });
    }
    return remarks;
  }
  function isRounded(dtype, stored) {
    return dtype !== stored && (stored === "F16" || stored === "BF16");
  }
  function aboutSamples({ shown, open, tensor, facts }) {
    const { tensors } = open.content.layout;
    if (open.trial.rank === null) {
      const ofSamples = tensors.batch_dimension[tensor] !== null ? [{ id: "all-ranks", text: "Over the samples of all ranks together; samples one by one are shown per rank." }] : [];
      const differing = facts?.ranksDiffer ? [{ id: "ranks-differ", text: "The ranks differ here: a single value is their mean, statistics are those of all of their values together." }] : [];
      return [...ofSamples, ...differing];
    }
    const samples = tensors.samples[tensor] ?? 0;
    const batchSize = open.trial.steps.batch_size[shown.step] ?? 0;
    if (tensors.batch_dimension[tensor] === null || samples >= batchSize) {
      return [];
    }
    return [{ id: "samples", text: samples === 0 ? "No samples of this tensor were recorded one by one." : `${counted(samples, "sample")} of ${grouped(batchSize)} recorded one by one.` }];
  }

  // src/views/summary.tsx
  var import_jsx_runtime41 = __toESM(require_jsx_runtime(), 1);
  var NOT_YET2 = "\u2026";
  function Summary({ store, shown, open }) {
    void store.version.value;
    const { selection, step } = shown;
    const { steps } = open.trial;
    const { layout } = open.content;
    const offer = store.offer.value;
    const record = store.record.value;
    const tensor = offer?.tensor ?? -1;
    const time = steps.time[step] ?? null;
    const facts = record && open.content.numbers.facts(record);
    if (record !== void 0 && facts === void 0) {
      store.bundle.chunks.request(open.content.numbers.overviewChunks(record, 0));
    }
    const ofStep = store.bundle.facts(open.trial, step);
    const network = store.bundle.network(open.trial);
    const known = { step: ofStep.state === "ready" ? ofStep.value : null, network: network.state === "ready" ? network.value : null };
    const change = known.network && known.step && tensor >= 0 ? parameterChange(store.bundle, open.content, known.network, known.step, layout.tensors.name[tensor] ?? "") : null;
    const shard = layout.tensors.shard[tensor] ?? null;
    return /* @__PURE__ */ (0, import_jsx_runtime41.jsxs)("div", { class: "summary", "data-testid": "summary", children: [
      /* @__PURE__ */ (0, import_jsx_runtime41.jsxs)("h2", { title: selection.node, children: [
        /* @__PURE__ */ (0, import_jsx_runtime41.jsx)("bdi", { children: nodeLabel(selection.node) }),
        selection.role !== selection.node && /* @__PURE__ */ (0, import_jsx_runtime41.jsxs)("span", { class: "soft", children: [
          " / ",
          /* @__PURE__ */ (0, import_jsx_runtime41.jsx)("bdi", { children: roleLabel(selection.role) })
        ] })
      ] }),
      /* @__PURE__ */ (0, import_jsx_runtime41.jsxs)("dl", { children: [
        /* @__PURE__ */ (0, import_jsx_runtime41.jsx)(Entry, { name: "trial", value: selection.trial }),
        rankOptions(store.bundle, selection.trial).length > 1 && /* @__PURE__ */ (0, import_jsx_runtime41.jsx)(Entry, { name: "rank", value: rankLabel(open.trial) }),
        /* @__PURE__ */ (0, import_jsx_runtime41.jsx)(Entry, { name: "step", value: String(selection.step) }),
        /* @__PURE__ */ (0, import_jsx_runtime41.jsx)(Entry, { name: "iteration", value: String(selection.iteration) }),
        /* @__PURE__ */ (0, import_jsx_runtime41.jsx)(Entry, { name: "step type", value: store.bundle.typeOf(open.trial, step) }),
        /* @__PURE__ */ (0, import_jsx_runtime41.jsx)(Entry, { name: "batch size", value: String(steps.batch_size[step] ?? "") }),
        time !== null && /* @__PURE__ */ (0, import_jsx_runtime41.jsx)(Entry, { name: "time", value: `${time.toFixed(1)} s` }),
        /* @__PURE__ */ (0, import_jsx_runtime41.jsx)(Entry, { name: "batch/sample", value: aggregationLabel(selection.aggregation, open.samples, (position) => store.bundle.text(position)) }),
        /* @__PURE__ */ (0, import_jsx_runtime41.jsx)(Entry, { name: "node", value: selection.node }),
        /* @__PURE__ */ (0, import_jsx_runtime41.jsx)(Entry, { name: "role", value: selection.role }),
        offer !== void 0 && /* @__PURE__ */ (0, import_jsx_runtime41.jsx)(Entry, { name: "tensor", value: offer.name }),
        tensor >= 0 && /* @__PURE__ */ (0, import_jsx_runtime41.jsxs)(import_jsx_runtime41.Fragment, { children: [
          /* @__PURE__ */ (0, import_jsx_runtime41.jsx)(Entry, { name: "type", value: layout.tensors.type[tensor] ?? "" }),
          /* @__PURE__ */ (0, import_jsx_runtime41.jsx)(Entry, { name: "shape", value: shapeText(layout.tensors.shape[tensor] ?? []) }),
          shard !== null && /* @__PURE__ */ (0, import_jsx_runtime41.jsx)(Entry, { name: "shard", value: shardText(shard) }),
          /* @__PURE__ */ (0, import_jsx_runtime41.jsx)(Entry, { name: "dtype", value: dtypeText(layout.tensors.dtype[tensor], layout.tensors.stored[tensor]) }),
          layout.tensors.operation[tensor] && /* @__PURE__ */ (0, import_jsx_runtime41.jsx)(Entry, { name: "operation", value: layout.tensors.operation[tensor] }),
          layout.tensors.module[tensor] && /* @__PURE__ */ (0, import_jsx_runtime41.jsx)(Entry, { name: "module", value: layout.tensors.module[tensor] })
        ] })
      ] }),
      known.step !== null && /* @__PURE__ */ (0, import_jsx_runtime41.jsx)(StepLine, { facts: known.step, network: known.network }),
      ofStep.state === "failed" && /* @__PURE__ */ (0, import_jsx_runtime41.jsxs)("p", { class: "soft", "data-testid": "facts-failed", children: [
        "What else is known of this step could not be loaded: ",
        ofStep.error.message
      ] }),
      ofStep.state === "loading" && /* @__PURE__ */ (0, import_jsx_runtime41.jsx)("p", { class: "step-line soft", children: NOT_YET2 }),
      record !== void 0 && /* @__PURE__ */ (0, import_jsx_runtime41.jsx)(FactsRow, { facts, dtype: layout.tensors.dtype[tensor] ?? "F32" }),
      change !== null && /* @__PURE__ */ (0, import_jsx_runtime41.jsx)(ChangeRow, { change }),
      /* @__PURE__ */ (0, import_jsx_runtime41.jsx)(Remarks, { store, shown, open, tensor, facts, known, change })
    ] });
  }
  function StepLine({ facts, network }) {
    const rates = facts.learning_rates === null ? "" : learningRatesText(facts.learning_rates, network);
    const scales = lossScales(facts);
    return /* @__PURE__ */ (0, import_jsx_runtime41.jsxs)("dl", { class: "step-line", "aria-label": "About the step", children: [
      rates !== "" && /* @__PURE__ */ (0, import_jsx_runtime41.jsx)(Entry, { name: "learning rate", value: rates }),
      scales !== "" && /* @__PURE__ */ (0, import_jsx_runtime41.jsx)(Entry, { name: "loss scale", value: scales }),
      facts.held_bytes !== null && /* @__PURE__ */ (0, import_jsx_runtime41.jsx)(Entry, { name: "held memory", value: byteSize(facts.held_bytes), hint: "The most memory that the recorder held for this step" }),
      facts.session > 0 && /* @__PURE__ */ (0, import_jsx_runtime41.jsx)(Entry, { name: "session", value: String(facts.session + 1), hint: "The run was resumed; the About tab lists its sessions" })
    ] });
  }
  function Entry({ name, value, hint }) {
    return /* @__PURE__ */ (0, import_jsx_runtime41.jsxs)("div", { children: [
      /* @__PURE__ */ (0, import_jsx_runtime41.jsx)("dt", { children: name }),
      /* @__PURE__ */ (0, import_jsx_runtime41.jsx)("dd", { "data-testid": `summary-${name.replace(/[ /]/g, "-")}`, title: hint ?? value, children: /* @__PURE__ */ (0, import_jsx_runtime41.jsx)("bdi", { children: value }) })
    ] });
  }
  function dtypeText(dtype = "", stored = "") {
    return dtype === stored ? dtype : `${dtype}, stored as ${stored}`;
  }
  function FactsRow({ facts, dtype }) {
    const count2 = (value) => value === void 0 ? NOT_YET2 : grouped(value);
    const bad = (value) => value !== void 0 && Number(value) > 0;
    const extreme = (value) => value === void 0 ? NOT_YET2 : Number.isNaN(Number(value)) ? "none" : fixed(value, dtype);
    return /* @__PURE__ */ (0, import_jsx_runtime41.jsxs)("dl", { class: "facts", "aria-label": "Over all values of the whole batch", title: "Over all values of the whole batch", children: [
      /* @__PURE__ */ (0, import_jsx_runtime41.jsx)(Fact, { name: "NaN", value: count2(facts?.nan), bad: bad(facts?.nan), testId: "fact-nan" }),
      /* @__PURE__ */ (0, import_jsx_runtime41.jsx)(Fact, { name: "+inf", value: count2(facts?.positiveInfinity), bad: bad(facts?.positiveInfinity), testId: "fact-positive-infinity" }),
      /* @__PURE__ */ (0, import_jsx_runtime41.jsx)(Fact, { name: "\u2212inf", value: count2(facts?.negativeInfinity), bad: bad(facts?.negativeInfinity), testId: "fact-negative-infinity" }),
      /* @__PURE__ */ (0, import_jsx_runtime41.jsx)(Fact, { name: "zeros", value: count2(facts?.zeros), bad: false, testId: "fact-zeros" }),
      /* @__PURE__ */ (0, import_jsx_runtime41.jsx)(Fact, { name: "min", value: extreme(facts?.smallest), bad: false, testId: "fact-min" }),
      /* @__PURE__ */ (0, import_jsx_runtime41.jsx)(Fact, { name: "max", value: extreme(facts?.largest), bad: false, testId: "fact-max" })
    ] });
  }
  function ChangeRow({ change: { norm, updateNorm } }) {
    const text2 = (value) => value === void 0 ? NOT_YET2 : brief(value);
    const ratio = norm === void 0 || updateNorm === void 0 ? void 0 : updateNorm / norm;
    return /* @__PURE__ */ (0, import_jsx_runtime41.jsxs)("dl", { class: "facts facts-wide", "aria-label": "What the step did to this parameter", title: "Euclidean norms: before the step, of its change, and the second over the first", children: [
      /* @__PURE__ */ (0, import_jsx_runtime41.jsx)(Fact, { name: "norm", value: text2(norm), bad: isBad(norm), testId: "fact-norm" }),
      /* @__PURE__ */ (0, import_jsx_runtime41.jsx)(Fact, { name: "update norm", value: text2(updateNorm), bad: isBad(updateNorm), testId: "fact-update-norm" }),
      /* @__PURE__ */ (0, import_jsx_runtime41.jsx)(Fact, { name: "update / norm", value: norm === 0 ? "\u2013" : text2(ratio), bad: false, testId: "fact-update-ratio" })
    ] });
  }
  function isBad(value) {
    return value !== void 0 && !Number.isFinite(value);
  }
  function Fact({ name, value, bad, testId }) {
    return /* @__PURE__ */ (0, import_jsx_runtime41.jsxs)("div", { class: bad ? "fact-bad" : "", children: [
      /* @__PURE__ */ (0, import_jsx_runtime41.jsx)("dt", { children: bad ? `! ${name}` : name }),
      /* @__PURE__ */ (0, import_jsx_runtime41.jsx)("dd", { "data-testid": testId, children: value })
    ] });
  }

  // src/views/value_table.tsx
  var import_hooks33 = __toESM(require_hooks(), 1);

  // src/views/table/sorting.tsx
  var import_hooks31 = __toESM(require_hooks(), 1);

  // src/views/table/order.ts
  var ORDERS = ["ascending", "descending", "magnitude"];
  var ORDER_LABELS = { ascending: "smallest first", descending: "largest first", magnitude: "largest magnitude first" };
  function readOrder(text2) {
    return ORDERS.find((order) => order === text2) ?? null;
  }
  var RADIX_BITS = 16;
  var RADIX = 1 << RADIX_BITS;
  function sortedPlaces(values, order) {
    const keys = values.dtype === "I64" || values.dtype === "U64" ? integerKeys(values, order) : floatKeys(values.numbers, order);
    let places = Uint32Array.from({ length: values.length }, (_, k) => k);
    let spare = new Uint32Array(values.length);
    for (const words of keys) {
      for (const shift of [0, RADIX_BITS]) {
        distribute(words, shift, places, spare);
        [places, spare] = [spare, places];
      }
    }
    return places;
  }
  function distribute(words, shift, from, to) {
    const next = new Uint32Array(RADIX + 1);
    for (let k = 0; k < words.length; k++) {
      next[(words[k] >>> shift & RADIX - 1) + 1] += 1;
    }
    for (let digit = 1; digit <= RADIX; digit++) {
      next[digit] += next[digit - 1];
    }
    for (let k = 0; k < from.length; k++) {
      const place2 = from[k];
      to[next[words[place2] >>> shift & RADIX - 1]++] = place2;
    }
  }
  function floatKeys(numbers, order) {
    const isDouble = numbers instanceof Float64Array;
    const words = new Uint32Array(numbers.buffer, numbers.byteOffset, numbers.byteLength / 4);
    const [low, high] = [new Uint32Array(isDouble ? numbers.length : 0), new Uint32Array(numbers.length)];
    const invert = order === "ascending" ? 0 : 4294967295;
    for (let k = 0; k < numbers.length; k++) {
      if (numbers[k] !== numbers[k]) {
        high[k] = 4294967295;
        continue;
      }
      const isZero = numbers[k] === 0;
      const top = isZero ? 0 : words[isDouble ? 2 * k + 1 : k];
      const flip = order === "magnitude" ? 2147483648 : top >>> 31 === 1 ? 4294967295 : 2147483648;
      const positive = order === "magnitude" ? top & 2147483647 : top;
      high[k] = positive ^ flip ^ invert;
      if (isDouble) {
        low[k] = (isZero ? 0 : words[2 * k]) ^ (flip === 4294967295 ? flip : 0) ^ invert;
      }
    }
    return isDouble ? [low, high] : [high];
  }
  function integerKeys(values, order) {
    const words = new Uint32Array(values.bytes.buffer);
    const isSigned = values.dtype === "I64";
    const [low, high] = [new Uint32Array(values.length), new Uint32Array(values.length)];
    const invert = order === "ascending" ? 0 : 4294967295;
    for (let k = 0; k < values.length; k++) {
      let [lower, upper] = [words[2 * k], words[2 * k + 1]];
      if (order === "magnitude" && isSigned && upper >>> 31 === 1) {
        lower = ~lower + 1 >>> 0;
        upper = ~upper + (lower === 0 ? 1 : 0) >>> 0;
      } else if (order !== "magnitude" && isSigned) {
        upper ^= 2147483648;
      }
      low[k] = lower ^ invert;
      high[k] = upper ^ invert;
    }
    return [low, high];
  }

  // src/views/table/sorting.tsx
  var import_jsx_runtime42 = __toESM(require_jsx_runtime(), 1);
  var MOST_SORTED = 2 ** 24;
  function useSorting(pane, aggregation, count2) {
    const order = readOrder(pane.store.view.value.get("order"));
    const wanted = order !== null && count2 <= MOST_SORTED;
    const gathering = useGathered(pane, aggregation, 0, count2, wanted);
    const values = gathering?.values ?? null;
    const places = (0, import_hooks31.useMemo)(() => values?.complete && order !== null ? sortedPlaces(values, order) : null, [values, values?.complete, order]);
    const progress = values?.progress;
    const remark = order === null || places !== null ? "" : progress === void 0 ? "too many values to sort" : `loading ${progress.loaded} of ${counted(progress.total, "part")}`;
    return { order, places, values, error: gathering?.error, remark };
  }
  function OrderControl({ store, sorting }) {
    return /* @__PURE__ */ (0, import_jsx_runtime42.jsxs)("label", { class: "picture-control", children: [
      /* @__PURE__ */ (0, import_jsx_runtime42.jsx)("span", { children: "Order" }),
      /* @__PURE__ */ (0, import_jsx_runtime42.jsxs)("select", { "data-testid": "table-order", onChange: (event) => store.setView("order", event.currentTarget.value || null), children: [
        /* @__PURE__ */ (0, import_jsx_runtime42.jsx)("option", { value: "", selected: sorting.order === null, children: "by index" }),
        ORDERS.map((order) => /* @__PURE__ */ (0, import_jsx_runtime42.jsx)("option", { value: order, selected: sorting.order === order, children: ORDER_LABELS[order] }, order))
      ] }),
      sorting.remark !== "" && /* @__PURE__ */ (0, import_jsx_runtime42.jsx)("span", { class: "soft", role: "status", children: sorting.remark })
    ] });
  }

  // src/views/table/value_actions.tsx
  var import_hooks32 = __toESM(require_hooks(), 1);

  // src/views/table/npy.ts
  var DESCRIPTIONS = {
    F64: "<f8",
    F32: "<f4",
    F16: "<f2",
    BF16: "<f4",
    I64: "<i8",
    I32: "<i4",
    I16: "<i2",
    I8: "|i1",
    U64: "<u8",
    U32: "<u4",
    U16: "<u2",
    U8: "|u1",
    BOOL: "|b1"
  };
  var ALIGNMENT = 64;
  var MAGIC = [147, 78, 85, 77, 80, 89, 1, 0];
  var LENGTH_BYTES = 2;
  function npyFile(bytes, dtype, shape) {
    const sizes = shape.length === 1 ? `${shape[0]},` : shape.join(", ");
    const description = `{'descr': '${DESCRIPTIONS[dtype] ?? "|u1"}', 'fortran_order': False, 'shape': (${sizes}), }`;
    const before = MAGIC.length + LENGTH_BYTES;
    const length = Math.ceil((before + description.length + 1) / ALIGNMENT) * ALIGNMENT - before;
    const header = new Uint8Array(before + length).fill(32);
    header.set(MAGIC);
    new DataView(header.buffer).setUint16(MAGIC.length, length, true);
    header.set(new TextEncoder().encode(description), before);
    header[header.length - 1] = 10;
    return [header, data(bytes, dtype)];
  }
  function data(bytes, dtype) {
    if (dtype === "BOOL") {
      return bytes.map((byte) => byte === 0 ? 0 : 1);
    }
    if (dtype !== "BF16") {
      return bytes;
    }
    const from = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const wide = new Float32Array(bytes.length / 2);
    for (let k = 0; k < wide.length; k++) {
      wide[k] = bfloatToNumber(from.getUint16(2 * k, true));
    }
    return new Uint8Array(wide.buffer);
  }
  var LONGEST_PART = 60;
  function fileName(parts, ending) {
    const name = parts.map((part) => part.replace(/[^A-Za-z0-9._+-]+/g, "_").slice(0, LONGEST_PART)).join("-").replace(/^[._]+/, "");
    return `${name || "values"}.${ending}`;
  }

  // src/views/table/values_text.ts
  var MOST_COPIED = 1e5;
  var PYTHON_DTYPES = {
    F64: "float64",
    F32: "float32",
    F16: "float16",
    BF16: "float32",
    I64: "int64",
    I32: "int32",
    I16: "int16",
    I8: "int8",
    U64: "uint64",
    U32: "uint32",
    U16: "uint16",
    U8: "uint8",
    BOOL: "bool_"
  };
  function exactText(value, dtype) {
    if (typeof value === "bigint") {
      return value.toString();
    }
    if (Object.is(value, -0)) {
      return "-0.0";
    }
    if (dtype === "F64" || Number.isInteger(value) || !Number.isFinite(value)) {
      return String(value);
    }
    for (let digits = 6; digits < 9; digits++) {
      const text2 = String(Number(value.toPrecision(digits)));
      if (Math.fround(Number(text2)) === value) {
        return text2;
      }
    }
    return String(Number(value.toPrecision(9)));
  }
  function csvText(at, places, axes, shape, dtype) {
    const lines = [[...axes, "value"].join(",")];
    for (let n = 0; n < places.length; n++) {
      const k = places[n];
      lines.push([...indexOf(k, shape), csvNumber(at(k), dtype)].join(","));
    }
    return `${lines.join("\n")}
`;
  }
  function indexOf(k, shape) {
    const index = [];
    let rest = k;
    for (let axis = shape.length - 1; axis >= 0; axis--) {
      index.unshift(rest % shape[axis]);
      rest = Math.floor(rest / shape[axis]);
    }
    return index;
  }
  function csvNumber(value, dtype) {
    return Number.isNaN(value) ? "nan" : value === Infinity ? "inf" : value === -Infinity ? "-inf" : exactText(value, dtype);
  }
  function numpyText(at, shape, dtype) {
    const type = `dtype=np.${PYTHON_DTYPES[dtype] ?? "float32"}`;
    if (shape.includes(0)) {
      return `np.empty((${shape.join(", ")}${shape.length === 1 ? "," : ""}), ${type})`;
    }
    let next = 0;
    const nested = (axis) => {
      if (axis === shape.length) {
        return pythonNumber(at(next++), dtype);
      }
      const inside = Array.from({ length: shape[axis] }, () => nested(axis + 1));
      return `[${inside.join(axis === shape.length - 1 ? ", " : `,
${" ".repeat(10 + axis)}`)}]`;
    };
    return `np.array(${nested(0)}, ${type})`;
  }
  function pythonNumber(value, dtype) {
    if (dtype === "BOOL") {
      return Number(value) === 0 ? "False" : "True";
    }
    return Number.isNaN(value) ? "np.nan" : value === Infinity ? "np.inf" : value === -Infinity ? "-np.inf" : exactText(value, dtype);
  }

  // src/views/table/value_actions.tsx
  var import_jsx_runtime43 = __toESM(require_jsx_runtime(), 1);
  function ValueActions({ places, ...pane }) {
    const [outcome, setOutcome] = (0, import_hooks32.useState)(null);
    const { store, shown } = pane;
    const { numbers, shape, axes } = shownValues(pane);
    const { selection } = shown;
    (0, import_hooks32.useEffect)(() => setOutcome(null), [numbers.dtype, selection]);
    if (numbers.length === 0) {
      return null;
    }
    const run = async (act) => {
      try {
        setOutcome({ message: "Loading\u2026" });
        const values = new GatheredValues(numbers);
        await gatherAll(store, values);
        setOutcome(await act(values));
      } catch (error) {
        setOutcome({ message: error instanceof RangeError ? "These are too many values for the memory of this browser." : `That did not work: ${messageOf(error)}` });
      }
    };
    const copy = (name, text2) => {
      if (numbers.length > MOST_COPIED) {
        setOutcome({ message: `${grouped(numbers.length)} values are too many to copy; up to ${grouped(MOST_COPIED)} can be. Download them instead.` });
        return;
      }
      void run((values) => copied(name, text2(values)));
    };
    const asCsv = (values) => csvText((k) => values.at(k) ?? NaN, places ?? Uint32Array.from({ length: values.length }, (_, k) => k), axes.map((axis) => `axis_${axis.position}`), shape, numbers.dtype);
    const asNumpy = (values) => numpyText((k) => values.at(k) ?? NaN, shape, numbers.dtype);
    const download = (values) => {
      const name = fileName([selection.node, ...selection.role === selection.node ? [] : [selection.role], selection.recording, `step${selection.step}`, selection.aggregation], "npy");
      save(new Blob(npyFile(values.bytes, values.dtype, shape), { type: "application/octet-stream" }), name);
      return { message: `Saved as ${name}${numbers.dtype === "BF16" ? ", as float32: NumPy has no bfloat16" : ""}.` };
    };
    return /* @__PURE__ */ (0, import_jsx_runtime43.jsxs)("div", { class: "value-actions", role: "group", "aria-label": "Take these values with you", children: [
      /* @__PURE__ */ (0, import_jsx_runtime43.jsx)("button", { type: "button", "data-testid": "copy-csv", onClick: () => copy("CSV", asCsv), children: "Copy as CSV" }),
      /* @__PURE__ */ (0, import_jsx_runtime43.jsx)("button", { type: "button", "data-testid": "copy-numpy", title: "With its shape and dtype; needs: import numpy as np", onClick: () => copy("a NumPy literal", asNumpy), children: "Copy as NumPy" }),
      /* @__PURE__ */ (0, import_jsx_runtime43.jsx)("button", { type: "button", "data-testid": "download-npy", title: `All ${grouped(numbers.length)} values, for numpy.load`, onClick: () => void run(download), children: "Download .npy" }),
      /* @__PURE__ */ (0, import_jsx_runtime43.jsx)("span", { class: "soft outcome", role: "status", "data-testid": "copy-outcome", children: outcome?.message }),
      outcome?.text !== void 0 && /* @__PURE__ */ (0, import_jsx_runtime43.jsx)(CopyByHand, { text: outcome.text })
    ] });
  }
  async function copied(name, text2) {
    try {
      await navigator.clipboard.writeText(text2);
      return { message: `Copied as ${name}.` };
    } catch {
      return { message: "The browser does not let this page copy. Press Ctrl+C (\u2318C) to copy what is selected:", text: text2 };
    }
  }
  function CopyByHand({ text: text2 }) {
    const field = (0, import_hooks32.useRef)(null);
    (0, import_hooks32.useEffect)(() => {
      field.current?.focus();
      field.current?.select();
    }, [text2]);
    return /* @__PURE__ */ (0, import_jsx_runtime43.jsx)("textarea", { ref: field, class: "copy-by-hand mono", "data-testid": "copy-by-hand", "aria-label": "Text to copy", readOnly: true, rows: 4, value: text2 });
  }
  function save(blob, name) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 6e4);
  }

  // src/views/value_table.tsx
  var import_jsx_runtime44 = __toESM(require_jsx_runtime(), 1);
  var ROW_HEIGHT3 = 26;
  var GO_TO_FROM = 20;
  var NOT_YET3 = "\u2026";
  function ValueTable(pane) {
    const { store, shown, open, record } = pane;
    void store.version.value;
    const { selection } = shown;
    const { tensors } = open.content.layout;
    const [goTo, setGoTo] = (0, import_hooks33.useState)(null);
    const range = (0, import_hooks33.useRef)([0, 0]);
    const { aggregation, numbers: neurons, shape, dtype: valueDtype, isLeftOut } = shownValues(pane);
    const statistics = open.content.numbers.statistics(record, aggregation);
    const kind = tensors.kind[record.tensor];
    const sorting = useSorting(pane, aggregation, neurons.length);
    const { places } = sorting;
    const chunks = store.bundle.chunks;
    const request = (start2, end) => {
      range.current = [start2, end];
      chunks.request(neededFor(start2, end));
    };
    const neededFor = (start2, end) => {
      const [first, last] = clamp([start2, end], record.items.length, neurons.length);
      return [...open.content.numbers.overviewChunks(record, aggregation), ...places === null ? neurons.chunks(first, last) : []];
    };
    const error = sorting.error ?? neededFor(...range.current).map((id) => chunks.failure(id)).find((found) => found !== void 0);
    if (error !== void 0) {
      return /* @__PURE__ */ (0, import_jsx_runtime44.jsx)(Failure, { store, error, what: "the values" });
    }
    const renderRow = (row, top) => {
      if (row < record.items.length) {
        return /* @__PURE__ */ (0, import_jsx_runtime44.jsx)(StatisticRow, { row, top, item: record.items[row], value: statistics.at(row), dtype: record.precision }, row);
      }
      const place2 = row - record.items.length;
      const k = places?.[place2] ?? place2;
      return /* @__PURE__ */ (0, import_jsx_runtime44.jsx)(NeuronRow, { row, top, k, value: places === null ? neurons.at(k) : sorting.values?.at(k), shape, dtype: valueDtype }, row);
    };
    return /* @__PURE__ */ (0, import_jsx_runtime44.jsxs)("div", { class: "numbers", children: [
      /* @__PURE__ */ (0, import_jsx_runtime44.jsxs)("div", { class: "table-bar", children: [
        /* @__PURE__ */ (0, import_jsx_runtime44.jsx)(
          GoTo,
          {
            shape,
            without: open.trial.rank === null ? "values, where recorded, are shown per rank" : "the values were not recorded",
            isLeftOut,
            count: kind === "neuron" && !isLeftOut ? neurons.length : kind === "single_value" ? 1 : null,
            onGo: (place2) => setGoTo({ row: (places?.indexOf(place2) ?? place2) + record.items.length })
          }
        ),
        neurons.length > 1 && /* @__PURE__ */ (0, import_jsx_runtime44.jsx)(OrderControl, { store, sorting }),
        /* @__PURE__ */ (0, import_jsx_runtime44.jsx)(ValueActions, { ...pane, places })
      ] }),
      /* @__PURE__ */ (0, import_jsx_runtime44.jsx)(
        VirtualRows,
        {
          count: record.items.length + neurons.length,
          rowHeight: ROW_HEIGHT3,
          label: "Values of the selected tensor",
          testId: "values-table",
          resetKey: `${selection.trial}/${selection.node}/${selection.role}/${sorting.order}`,
          goTo,
          header: /* @__PURE__ */ (0, import_jsx_runtime44.jsx)(Header2, {}),
          renderRow,
          onRange: request
        }
      )
    ] });
  }
  function clamp([start2, end], items, count2) {
    return [Math.max(0, Math.min(start2 - items, count2)), Math.max(0, Math.min(end - items, count2))];
  }
  function Header2() {
    return /* @__PURE__ */ (0, import_jsx_runtime44.jsxs)("div", { class: "value-row value-header", role: "row", "aria-rowindex": 1, children: [
      /* @__PURE__ */ (0, import_jsx_runtime44.jsx)("span", { role: "columnheader", children: "Item" }),
      /* @__PURE__ */ (0, import_jsx_runtime44.jsx)("span", { role: "columnheader", children: "Index" }),
      /* @__PURE__ */ (0, import_jsx_runtime44.jsx)("span", { role: "columnheader", title: "Viridis from \u22121 to 1", children: "Color" }),
      /* @__PURE__ */ (0, import_jsx_runtime44.jsx)("span", { role: "columnheader", class: "number", children: "Value" }),
      /* @__PURE__ */ (0, import_jsx_runtime44.jsx)("span", { role: "columnheader", class: "number", children: "Scientific" })
    ] });
  }
  function StatisticRow({ row, top, item: item2, value, dtype }) {
    return /* @__PURE__ */ (0, import_jsx_runtime44.jsxs)("div", { class: "value-row statistic", role: "row", "aria-rowindex": row + 2, "data-testid": "value-row", "data-item": item2, style: { top: `${top}px` }, children: [
      /* @__PURE__ */ (0, import_jsx_runtime44.jsxs)("span", { role: "cell", children: [
        item2,
        item2 === "mean" && /* @__PURE__ */ (0, import_jsx_runtime44.jsx)(OrderHint, {})
      ] }),
      /* @__PURE__ */ (0, import_jsx_runtime44.jsx)("span", { role: "cell" }),
      /* @__PURE__ */ (0, import_jsx_runtime44.jsx)(ValueCells, { value, dtype })
    ] });
  }
  function NeuronRow({ row, top, k, value, shape, dtype }) {
    return /* @__PURE__ */ (0, import_jsx_runtime44.jsxs)("div", { class: "value-row", role: "row", "aria-rowindex": row + 2, "data-testid": "value-row", "data-item": "neuron", "data-index": k, style: { top: `${top}px` }, children: [
      /* @__PURE__ */ (0, import_jsx_runtime44.jsx)("span", { role: "cell", class: "soft", children: "neuron" }),
      /* @__PURE__ */ (0, import_jsx_runtime44.jsx)("span", { role: "cell", class: "index", children: indexText(k, shape) }),
      /* @__PURE__ */ (0, import_jsx_runtime44.jsx)(ValueCells, { value, dtype })
    ] });
  }
  var MARKS = { none: "", above: "\u25B2", below: "\u25BC", nan: "\xD7" };
  function ValueCells({ value, dtype }) {
    if (value === void 0) {
      return /* @__PURE__ */ (0, import_jsx_runtime44.jsxs)(import_jsx_runtime44.Fragment, { children: [
        /* @__PURE__ */ (0, import_jsx_runtime44.jsx)("span", { role: "cell" }),
        /* @__PURE__ */ (0, import_jsx_runtime44.jsx)("span", { role: "cell", class: "number soft", children: NOT_YET3 }),
        /* @__PURE__ */ (0, import_jsx_runtime44.jsx)("span", { role: "cell" })
      ] });
    }
    const { color, mark: mark2 } = swatchOf(Number(value));
    return /* @__PURE__ */ (0, import_jsx_runtime44.jsxs)(import_jsx_runtime44.Fragment, { children: [
      /* @__PURE__ */ (0, import_jsx_runtime44.jsx)("span", { role: "cell", children: /* @__PURE__ */ (0, import_jsx_runtime44.jsx)("span", { class: `swatch swatch-${mark2}`, style: { backgroundColor: color ?? "" }, title: mark2 === "above" || mark2 === "below" ? "Outside of the scale from \u22121 to 1" : "", children: MARKS[mark2] }) }),
      /* @__PURE__ */ (0, import_jsx_runtime44.jsx)("span", { role: "cell", class: "number", "data-testid": "fixed", title: String(value), children: fixed(value, dtype) }),
      /* @__PURE__ */ (0, import_jsx_runtime44.jsx)("span", { role: "cell", class: "number soft", "data-testid": "scientific", children: scientific(value, dtype) })
    ] });
  }
  function OrderHint() {
    const [open, setOpen] = (0, import_hooks33.useState)(false);
    return /* @__PURE__ */ (0, import_jsx_runtime44.jsxs)("span", { class: "hint", children: [
      /* @__PURE__ */ (0, import_jsx_runtime44.jsx)(
        "button",
        {
          type: "button",
          class: "hint-button",
          "data-testid": "order-hint",
          "aria-label": "Order of aggregation",
          "aria-expanded": open,
          onClick: () => setOpen(!open),
          onBlur: () => setOpen(false),
          onKeyDown: (event) => event.key === "Escape" && setOpen(false),
          children: "?"
        }
      ),
      /* @__PURE__ */ (0, import_jsx_runtime44.jsx)("span", { class: open ? "hint-text hint-open" : "hint-text", role: "tooltip", children: "First over the values of each sample, then over the batch. So \u201Cmean\u201D under \u201CMaximum absolute value over the batch\u201D is the largest magnitude among the samples\u2019 means, not a mean of maxima." })
    ] });
  }
  function GoTo({ shape, without, isLeftOut, count: count2, onGo }) {
    const [text2, setText] = (0, import_hooks33.useState)("");
    const place2 = placeOfIndex(text2, shape);
    const wrong = text2.trim() !== "" && place2 === null;
    return /* @__PURE__ */ (0, import_jsx_runtime44.jsxs)("form", { class: "go-to", onSubmit: (event) => (event.preventDefault(), place2 !== null && onGo(place2)), children: [
      /* @__PURE__ */ (0, import_jsx_runtime44.jsx)("span", { class: "soft", "data-testid": "value-count", children: count2 === null ? `Statistics only: ${isLeftOut ? "these values were left out of this bundle" : without}` : counted(count2, "value") }),
      count2 !== null && count2 > GO_TO_FROM && /* @__PURE__ */ (0, import_jsx_runtime44.jsx)(
        "input",
        {
          type: "text",
          "data-testid": "go-to-index",
          "aria-label": "Go to the value with this index",
          placeholder: `Go to index ${shape.map(() => "0").join(", ")}`,
          "aria-invalid": wrong,
          value: text2,
          onInput: (event) => setText(event.currentTarget.value)
        }
      ),
      /* @__PURE__ */ (0, import_jsx_runtime44.jsx)("span", { class: "go-to-wrong", "aria-live": "polite", children: wrong && `an index is ${shape.map((size) => `0\u2013${Math.max(0, size - 1)}`).join(", ")}` })
    ] });
  }

  // src/views/values.tsx
  var import_jsx_runtime45 = __toESM(require_jsx_runtime(), 1);
  var PANES = [
    { id: "table", label: "Table", view: ValueTable },
    { id: "picture", label: "Picture", view: PictureView },
    { id: "histogram", label: "Histogram", view: HistogramView },
    { id: "time", label: "Over time", view: OverTime },
    { id: "compare", label: "Compare", view: ComparePane }
  ];
  function ValuesView({ store }) {
    const shown = store.shown.value;
    const failure = store.pending.value?.error;
    if (failure) {
      return /* @__PURE__ */ (0, import_jsx_runtime45.jsx)(Failure, { store, error: failure, what: "this step" });
    }
    if (shown === null) {
      return /* @__PURE__ */ (0, import_jsx_runtime45.jsxs)("p", { class: "empty", role: "status", children: [
        "Loading",
        "\u2026"
      ] });
    }
    if (shown.open === null) {
      return /* @__PURE__ */ (0, import_jsx_runtime45.jsx)("p", { class: "empty", "data-testid": "values-empty", children: "This trial has no recorded steps. Its curves and notes may have something to say." });
    }
    return /* @__PURE__ */ (0, import_jsx_runtime45.jsxs)("section", { class: "values", "aria-label": "Values", "aria-busy": store.pending.value !== null, children: [
      /* @__PURE__ */ (0, import_jsx_runtime45.jsxs)("div", { class: "details", tabIndex: 0, role: "region", "aria-label": "About the selection", children: [
        /* @__PURE__ */ (0, import_jsx_runtime45.jsx)(Summary, { store, shown, open: shown.open }),
        /* @__PURE__ */ (0, import_jsx_runtime45.jsx)(NeighbourBar, { store })
      ] }),
      /* @__PURE__ */ (0, import_jsx_runtime45.jsx)("div", { class: "pane", children: /* @__PURE__ */ (0, import_jsx_runtime45.jsx)(PaneOf, { store, shown, open: shown.open }) })
    ] });
  }
  function PaneOf({ store, shown, open }) {
    const record = store.record.value;
    const chosen = store.view.value.get("pane");
    const active = PANES.find((pane) => pane.id === chosen) ?? PANES[0];
    const View = active.view;
    return /* @__PURE__ */ (0, import_jsx_runtime45.jsxs)("div", { class: "pane", children: [
      /* @__PURE__ */ (0, import_jsx_runtime45.jsx)(PaneBar, { store, active }),
      record === void 0 ? /* @__PURE__ */ (0, import_jsx_runtime45.jsx)("p", { class: "empty", "data-testid": "values-empty", children: "Nothing was recorded for this tensor here." }) : /* @__PURE__ */ (0, import_jsx_runtime45.jsx)(View, { store, shown, open, record })
    ] });
  }
  function PaneBar({ store, active }) {
    const beside = (distance) => PANES[(PANES.indexOf(active) + distance + PANES.length) % PANES.length];
    return /* @__PURE__ */ (0, import_jsx_runtime45.jsx)("div", { class: "pane-bar", role: "group", "aria-label": "Show the values as", children: PANES.map((pane) => /* @__PURE__ */ (0, import_jsx_runtime45.jsx)("button", { type: "button", "data-testid": `pane-${pane.id}`, "aria-keyshortcuts": pane === beside(1) ? "v" : pane === beside(-1) ? "V" : void 0, "aria-pressed": pane === active, onClick: () => store.setView("pane", pane === PANES[0] ? null : pane.id), children: pane.label }, pane.id)) });
  }

  // src/views/visualization/visualization_view.tsx
  var import_hooks34 = __toESM(require_hooks(), 1);

  // src/views/visualization/data.ts
  var import_signals5 = __toESM(require_signals(), 1);
  function selectionOf(store, shown) {
    return { ...shown.selection, tensor: store.offer.value?.name ?? "" };
  }
  function dataOf(store, shown, open) {
    const { selection } = shown;
    const { layout, numbers, table } = open.content;
    const { tensors } = layout;
    const { steps } = open.trial;
    const find2 = (name, wanted) => {
      const iteration = wanted.iteration ?? selection.iteration;
      const recording = wanted.recording ?? selection.recording;
      const places = tensors.name.map((_, k) => k).filter((k) => tensors.name[k] === name);
      const place2 = places.find((k) => tensors.iteration[k] === iteration) ?? places.find((k) => tensors.iteration[k] === -1);
      const record = place2 === void 0 ? void 0 : table.byGroup.get(recording)?.get(place2);
      if (record === void 0) {
        const known = [...new Set(tensors.name)].join(", ");
        throw new Error(`Step ${selection.step} has no tensor \u201C${name}\u201D in iteration ${iteration} of \u201C${recording}\u201D. It has: ${known}.`);
      }
      const aggregations = aggregationsOf(record, open.samples);
      const aggregation = record.hasBatch ? aggregations.indexOf(wanted.aggregation ?? selection.aggregation) : 0;
      if (aggregation < 0) {
        throw new Error(`\u201C${name}\u201D has no \u201C${wanted.aggregation ?? selection.aggregation}\u201D. It has: ${aggregations.join(", ")}.`);
      }
      return { record, aggregation };
    };
    return {
      steps: () => steps.step.map((step, k) => ({ step, type: store.bundle.typeOf(open.trial, k), batchSize: steps.batch_size[k] ?? 0 })),
      iterations: () => open.offers.iterations,
      tensors: () => tensors.name.map((name, k) => ({
        name,
        iteration: tensors.iteration[k],
        node: tensors.node[k],
        role: tensors.role[k],
        type: tensors.type[k],
        shape: [...tensors.shape[k]],
        batchDimension: tensors.batch_dimension[k] ?? null,
        dtype: tensors.dtype[k]
      })),
      statistics: async (name, wanted = {}) => {
        const { record, aggregation } = find2(name, wanted);
        const found = await all2(store, numbers.statistics(record, aggregation));
        return Object.fromEntries(record.items.map((item2, k) => [item2, found[k]]));
      },
      values: async (name, wanted = {}) => {
        const { record, aggregation } = find2(name, wanted);
        return all2(store, numbers.neurons(record, aggregation));
      },
      curves: () => loaded(store, () => store.bundle.curves(open.trial))
    };
  }
  async function all2(store, numbers) {
    const { chunks } = store.bundle;
    const needed = numbers.chunks(0, numbers.length);
    return loaded(store, () => {
      const error = needed.map((id) => chunks.failure(id)).find((found) => found !== void 0);
      if (error !== void 0) {
        return { state: "failed", error };
      }
      if (needed.some((id) => chunks.peek(id) === void 0)) {
        chunks.request(needed);
        return { state: "loading" };
      }
      return { state: "ready", value: Float64Array.from({ length: numbers.length }, (_, k) => Number(numbers.at(k))) };
    });
  }
  function loaded(store, read) {
    return new Promise((resolve2, reject) => {
      let isDone = false;
      const stop = (0, import_signals5.effect)(() => {
        void store.version.value;
        if (isDone) {
          return;
        }
        const found = read();
        if (found.state !== "loading") {
          isDone = true;
          queueMicrotask(() => stop());
          found.state === "ready" ? resolve2(found.value) : reject(found.error);
        }
      });
    });
  }

  // src/views/visualization/drawings.ts
  var import_signals6 = __toESM(require_signals(), 1);
  var drawings = (0, import_signals6.signal)([]);
  var scriptErrors = (0, import_signals6.signal)([]);
  function startVisualizations() {
    window.comgraVisualize = (title, draw) => {
      if (typeof draw !== "function") {
        throw new TypeError("comgraVisualize(title, draw): draw is not a function.");
      }
      drawings.value = [...drawings.value, { title: String(title), draw }];
    };
    const onError = (event) => {
      scriptErrors.value = [...scriptErrors.value, describe(event.error ?? event.message)];
    };
    window.addEventListener("error", onError);
    window.addEventListener("DOMContentLoaded", () => window.removeEventListener("error", onError));
  }
  function describe(error) {
    if (!(error instanceof Error)) {
      return String(error);
    }
    const { name, message, stack = "" } = error;
    return stack.includes(message) ? stack : `${name}: ${message}
${stack}`;
  }

  // src/views/visualization/visualization_view.tsx
  var import_jsx_runtime46 = __toESM(require_jsx_runtime(), 1);
  function VisualizationView({ store }) {
    const found = drawings.value;
    const errors = scriptErrors.value;
    return /* @__PURE__ */ (0, import_jsx_runtime46.jsxs)("section", { class: "page", "aria-label": "Visualization", children: [
      errors.map((error, k) => /* @__PURE__ */ (0, import_jsx_runtime46.jsx)(ErrorReport, { what: "A script of this page failed", error }, k)),
      found.length === 0 && errors.length === 0 && /* @__PURE__ */ (0, import_jsx_runtime46.jsx)("p", { class: "empty", "data-testid": "visualization-empty", children: "No script has called comgraVisualize(title, draw)." }),
      found.map((drawing, k) => /* @__PURE__ */ (0, import_jsx_runtime46.jsx)(DrawingView, { store, drawing }, k))
    ] });
  }
  function DrawingView({ store, drawing }) {
    const element = (0, import_hooks34.useRef)(null);
    const [error, setError] = (0, import_hooks34.useState)(null);
    const shown = store.shown.value;
    const isActive = store.tab.value === "visualization";
    const dark = isDark.value;
    (0, import_hooks34.useEffect)(() => {
      const target = element.current;
      if (target === null || shown === null || shown.open === null || !isActive) {
        return void 0;
      }
      const controller = new AbortController();
      const { signal: signal4 } = controller;
      void call(drawing, { element: target, selection: selectionOf(store, shown), data: dataOf(store, shown, shown.open), dark, signal: signal4 }).then((failure) => {
        if (!signal4.aborted) {
          setError(failure);
        }
      });
      return () => controller.abort();
    }, [drawing, shown, isActive, dark]);
    return /* @__PURE__ */ (0, import_jsx_runtime46.jsxs)("figure", { class: "visualization", "data-testid": "visualization", "aria-label": drawing.title, children: [
      /* @__PURE__ */ (0, import_jsx_runtime46.jsx)("figcaption", { children: /* @__PURE__ */ (0, import_jsx_runtime46.jsx)("h2", { children: /* @__PURE__ */ (0, import_jsx_runtime46.jsx)("bdi", { children: drawing.title }) }) }),
      error !== null && /* @__PURE__ */ (0, import_jsx_runtime46.jsx)(ErrorReport, { what: "This drawing failed", error }),
      /* @__PURE__ */ (0, import_jsx_runtime46.jsx)("div", { ref: element, class: "visualization-drawing", hidden: error !== null })
    ] });
  }
  async function call(drawing, view) {
    try {
      await drawing.draw(view);
      return null;
    } catch (error) {
      return describe(error);
    }
  }
  function ErrorReport({ what, error }) {
    return /* @__PURE__ */ (0, import_jsx_runtime46.jsxs)("div", { class: "failure", role: "alert", "data-testid": "visualization-error", children: [
      /* @__PURE__ */ (0, import_jsx_runtime46.jsxs)("p", { children: [
        what,
        ". The rest of the page is not affected."
      ] }),
      /* @__PURE__ */ (0, import_jsx_runtime46.jsx)("pre", { children: error })
    ] });
  }

  // src/views/app.tsx
  var import_jsx_runtime47 = __toESM(require_jsx_runtime(), 1);
  function App({ store }) {
    const tab = store.tab.value;
    return /* @__PURE__ */ (0, import_jsx_runtime47.jsxs)(import_jsx_runtime47.Fragment, { children: [
      /* @__PURE__ */ (0, import_jsx_runtime47.jsxs)("header", { class: "header", children: [
        /* @__PURE__ */ (0, import_jsx_runtime47.jsx)("h1", { title: store.bundle.index.title, children: /* @__PURE__ */ (0, import_jsx_runtime47.jsx)("bdi", { children: store.bundle.index.title }) }),
        /* @__PURE__ */ (0, import_jsx_runtime47.jsx)(TabBar, { store }),
        /* @__PURE__ */ (0, import_jsx_runtime47.jsx)(TrialSelector, { store }),
        /* @__PURE__ */ (0, import_jsx_runtime47.jsx)(CopyLink, { link: () => writeLink(store.tab.value, store.selection.value, store.view.value) }),
        /* @__PURE__ */ (0, import_jsx_runtime47.jsx)(KeyHelp, {}),
        /* @__PURE__ */ (0, import_jsx_runtime47.jsxs)("button", { type: "button", class: "theme-button", "aria-keyshortcuts": "d", "data-testid": "theme", "aria-label": `Theme: ${chosenTheme.value}. Change it.`, title: `Theme: ${chosenTheme.value}`, onClick: nextTheme, children: [
          /* @__PURE__ */ (0, import_jsx_runtime47.jsx)("span", { "aria-hidden": "true", children: "\u25D0" }),
          " ",
          /* @__PURE__ */ (0, import_jsx_runtime47.jsx)("span", { class: "theme-name", children: chosenTheme.value })
        ] })
      ] }),
      /* @__PURE__ */ (0, import_jsx_runtime47.jsx)(Messages, { store }),
      /* @__PURE__ */ (0, import_jsx_runtime47.jsx)("div", { hidden: tab !== "tensors" && tab !== "visualization", children: /* @__PURE__ */ (0, import_jsx_runtime47.jsx)(Selectors, { store }) }),
      /* @__PURE__ */ (0, import_jsx_runtime47.jsx)(Panel, { tab: "tensors", active: tab, keep: true, children: /* @__PURE__ */ (0, import_jsx_runtime47.jsx)(TensorsTab, { store }) }),
      /* @__PURE__ */ (0, import_jsx_runtime47.jsx)(Panel, { tab: "network", active: tab, children: /* @__PURE__ */ (0, import_jsx_runtime47.jsx)(NetworkView, { store }) }),
      /* @__PURE__ */ (0, import_jsx_runtime47.jsx)(Panel, { tab: "notes", active: tab, children: /* @__PURE__ */ (0, import_jsx_runtime47.jsx)(NotesView, { store }) }),
      /* @__PURE__ */ (0, import_jsx_runtime47.jsx)(Panel, { tab: "graphs", active: tab, children: /* @__PURE__ */ (0, import_jsx_runtime47.jsx)(CurvesView, { store }) }),
      /* @__PURE__ */ (0, import_jsx_runtime47.jsx)(Panel, { tab: "visualization", active: tab, keep: true, children: /* @__PURE__ */ (0, import_jsx_runtime47.jsx)(VisualizationView, { store }) }),
      /* @__PURE__ */ (0, import_jsx_runtime47.jsx)(Panel, { tab: "about", active: tab, children: /* @__PURE__ */ (0, import_jsx_runtime47.jsx)(AboutView, { store }) })
    ] });
  }
  function Panel({ tab, active, keep, children }) {
    return /* @__PURE__ */ (0, import_jsx_runtime47.jsx)("div", { id: `panel-${tab}`, class: `panel panel-${tab}`, role: "tabpanel", "aria-labelledby": `tab-${tab}`, hidden: tab !== active, children: (keep || tab === active) && children });
  }
  var FIRST_SHARE = 48;
  function TensorsTab({ store }) {
    const [share, setShare] = (0, import_hooks35.useState)(FIRST_SHARE);
    const loading = store.pending.value !== null && store.pending.value.error === null;
    return /* @__PURE__ */ (0, import_jsx_runtime47.jsxs)(import_jsx_runtime47.Fragment, { children: [
      /* @__PURE__ */ (0, import_jsx_runtime47.jsx)(StepTrigger, { store }),
      /* @__PURE__ */ (0, import_jsx_runtime47.jsx)(StepGaps, { store }),
      /* @__PURE__ */ (0, import_jsx_runtime47.jsx)("p", { class: "visually-hidden", role: "status", "aria-live": "polite", children: loading ? "Loading" : "" }),
      /* @__PURE__ */ (0, import_jsx_runtime47.jsxs)("div", { class: loading ? "work loading" : "work", style: { "--graph-share": `${share}%` }, children: [
        /* @__PURE__ */ (0, import_jsx_runtime47.jsx)(GraphView, { store }),
        /* @__PURE__ */ (0, import_jsx_runtime47.jsx)(Splitter, { share, onShare: setShare }),
        /* @__PURE__ */ (0, import_jsx_runtime47.jsx)(ValuesView, { store })
      ] })
    ] });
  }

  // src/main.tsx
  var import_jsx_runtime48 = __toESM(require_jsx_runtime(), 1);
  function start() {
    const mount = document.getElementById("app") ?? document.body.appendChild(document.createElement("main"));
    startTheme();
    try {
      const store = openBundle();
      startAddress(store);
      startPrefetch(store);
      startKeyboard();
      startVisualizations();
      mount.replaceChildren();
      (0, import_preact.render)(/* @__PURE__ */ (0, import_jsx_runtime48.jsx)(App, { store }), mount);
    } catch (error) {
      mount.replaceChildren();
      (0, import_preact.render)(/* @__PURE__ */ (0, import_jsx_runtime48.jsx)(Unreadable, { error }), mount);
    }
  }
  function openBundle() {
    const index = parseIndex(document.getElementById("bundle-index")?.textContent ?? "");
    const source = new ChunkSource(browserPage(), index.chunks.inline);
    window.__comgraChunk = (id, base64) => source.deliver(id, base64);
    const bundle = new Bundle(index, (id) => source.read(id), () => store.chunksChanged());
    const store = new Store(bundle);
    return store;
  }
  function Unreadable({ error }) {
    return /* @__PURE__ */ (0, import_jsx_runtime48.jsxs)("div", { class: "failure", role: "alert", "data-testid": "unreadable", children: [
      /* @__PURE__ */ (0, import_jsx_runtime48.jsx)("h1", { children: "This page cannot be shown" }),
      /* @__PURE__ */ (0, import_jsx_runtime48.jsxs)("p", { children: [
        error instanceof DamagedBundleError && "Its index is damaged: ",
        messageOf(error)
      ] }),
      error instanceof DamagedBundleError && /* @__PURE__ */ (0, import_jsx_runtime48.jsx)("p", { children: "The file may have been cut off or changed on its way. Get it again, or export the recording again." })
    ] });
  }
  start();
})();
})();
